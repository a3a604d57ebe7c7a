/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program in C11: floats among other members of structs, several right-hand sides, moved
   points, errors, reports and misuse. */
#include <math.h>
#include <starfmm/starfmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 3000, m = 200, n_rhs = 2 };

struct body {
    float place[3], mass;
};

static struct body bodies[n];
static double charges[n_rhs][n], targets[m][3], values[n_rhs][m][4];
static float fields[m][4];

static void require(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, starfmm_last_error());
        exit(1);
    }
}

static double uniform(void) {
    return rand() / (1.0 + RAND_MAX);
}

static starfmm_const_array places(void) {
    starfmm_const_array array = starfmm_read_floats(bodies[0].place, n, 3);
    array.point_stride = sizeof(struct body) / sizeof(float);
    return array;
}

static void check(const starfmm_sum* sum, starfmm_const_array q, starfmm_const_array of) {
    starfmm_errors errors = {.size = sizeof errors};
    require(!starfmm_sum_check(sum, &q, &of, 100, 1, &errors), "check");
    require(errors.n_checked == 100 && errors.n_parts == 2, "parts");
    require(errors.are_allowed, "tolerance");
    printf("%s: L2 %.1e\n", errors.parts[0].name, errors.parts[0].l2);
}

/* Potentials and gradients of two sets of charges at targets, which then move. */
static void sum_charges(starfmm_context* context) {
    const starfmm_kernel kernel = {.size = sizeof kernel, .name = "laplace3d", .gradient = 1};
    const starfmm_options options = {.size = sizeof options, .tolerance = 1e-8};
    const starfmm_const_array x = places(), y = starfmm_read_doubles(targets[0], m, 3);
    starfmm_const_array q = starfmm_read_doubles(charges[0], n, 1);
    starfmm_array phi = starfmm_write_doubles(values[0][0], m, 4);
    starfmm_const_array found = starfmm_read_doubles(values[0][0], m, 4);
    q.n_rhs = phi.n_rhs = found.n_rhs = n_rhs;
    starfmm_sum* sum = NULL;
    require(!starfmm_sum_create(context, &kernel, &x, &y, &options, &sum), "laplace3d");
    for (int step = 0; step < 2; ++step) {
        require(!starfmm_sum_evaluate(sum, &q, &phi), "evaluate");
        check(sum, q, found);
        double exact = 0;
        for (int j = 0; j < n; ++j) {
            double r2 = 0;
            for (int d = 0; d < 3; ++d) {
                r2 += pow(bodies[j].place[d] - targets[m - 1][d], 2);
            }
            exact += charges[1][j] / sqrt(r2);
        }
        require(fabs(values[1][m - 1][0] / exact - 1) < 1e-6, "the last target's potential");
        for (int i = 0; i < m; ++i) {
            targets[i][2] += 0.5;
        }
        require(!starfmm_sum_move(sum, &x, &y), "move");
    }
    starfmm_sum_destroy(sum);
}

/* Accelerations and potentials of bodies whose masses lie beside their places, as floats. */
static void sum_bodies(starfmm_context* context) {
    const starfmm_kernel kernel = {
        .size = sizeof kernel, .name = "gravity", .potential = 1, .epsilon = 1e-2};
    const starfmm_options options = {
        .size = sizeof options,
        .tolerance_of = STARFMM_TOLERANCE_MEDIAN,
        .tolerance = 1e-3,
        .p99 = 1e-2};
    const starfmm_const_array x = places(), y = starfmm_read_doubles(targets[0], m, 3);
    starfmm_const_array mass = starfmm_read_floats(&bodies[0].mass, n, 1);
    mass.point_stride = x.point_stride;
    const starfmm_array field = starfmm_write_floats(fields[0], m, 4);
    starfmm_sum* sum = NULL;
    require(!starfmm_sum_create(context, &kernel, &x, &y, &options, &sum), "gravity");
    require(!starfmm_sum_evaluate(sum, &mass, &field), "evaluate");
    check(sum, mass, starfmm_read_floats(fields[0], m, 4));
    size_t needed = 0;
    require(!starfmm_sum_report(sum, STARFMM_JSON, NULL, 0, &needed), "size of the report");
    char* const report = malloc(needed + 64);
    require(
        report && !starfmm_sum_report(sum, STARFMM_JSON, report, needed + 64, &needed), "report"
    );
    require(strstr(report, "\"kernel\": \"gravity\"") != NULL, "report's kernel");
    free(report);
    starfmm_sum_destroy(sum);
}

int main(void) {
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            bodies[i].place[d] = (float)uniform();
        }
        bodies[i].mass = 1.0F / n;
        charges[0][i] = uniform();
        charges[1][i] = uniform() - 0.2;
    }
    for (int i = 0; i < m; ++i) {
        for (int d = 0; d < 3; ++d) {
            targets[i][d] = uniform() - 0.5;
        }
    }
    starfmm_context* context = NULL;
    require(!starfmm_context_create(STARFMM_DEFAULT, STARFMM_DEFAULT, &context), "context");
    sum_charges(context);
    sum_bodies(context);
    starfmm_sum* none = NULL;
    require(
        starfmm_sum_create(context, NULL, NULL, NULL, NULL, &none) == STARFMM_BAD_INPUT && !none &&
            strstr(starfmm_last_error(), "NULL"),
        "no kernel"
    );
    starfmm_context_destroy(context);
    printf("starfmm %s from C\n", starfmm_version());
    return 0;
}
