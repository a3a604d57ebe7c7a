/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * \file
 * Sums over pairs of points from C: contexts, sums of the built-in kernels, errors, reports.
 * docs/c-and-fortran.md goes through it.
 *
 * A function that returns int returns a starfmm_status. After any but STARFMM_OK
 * starfmm_last_error() says in a sentence what was wrong, and what is allowed. No C++ exception
 * leaves a function. A handle or a pointer that is NULL is STARFMM_BAD_INPUT, unless the function
 * says what it means.
 *
 * The first member of each struct is its size, so that later versions may add members at its end: a
 * caller sets it to sizeof. What a caller does not know is as if it were zero, and zero always means
 * the default. A caller that knows more than the library may use no more than the library knows; what
 * the library does not know it sets to zero.
 */
#ifndef STARFMM_STARFMM_H
#define STARFMM_STARFMM_H

/* NOLINTBEGIN(modernize-*,readability-*): C */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a call ended. */
typedef enum starfmm_status {
    STARFMM_OK = 0,
    STARFMM_FAILED = 1,     /**< StarPU or a GPU failed, or what no other code says */
    STARFMM_BAD_INPUT = 2,  /**< the caller's; nothing is written, unless a function says so */
    STARFMM_NO_MEMORY = 3,  /**< the memory of the host or of a GPU is short */
    STARFMM_INTERRUPTED = 4 /**< by starfmm_interrupt(): the sum can be evaluated again */
} starfmm_status;

/** The workers that sums run on. */
typedef struct starfmm_context starfmm_context;

/** A sum over pairs of points, planned once and evaluated any number of times. */
typedef struct starfmm_sum starfmm_sum;

/** As a number of cores or GPUs: every GPU, and every core or none beside a GPU. */
enum { STARFMM_DEFAULT = -1 };

/** The type of an array's numbers. */
enum { STARFMM_DOUBLE = 0, STARFMM_FLOAT = 1 };

/** starfmm_options.method */
enum {
    STARFMM_METHOD_AUTOMATIC = 0,
    STARFMM_METHOD_FMM = 1,
    STARFMM_METHOD_DIRECT = 2,    /**< every pair */
    STARFMM_METHOD_NEAR_FIELD = 3 /**< pairs in boxes of a level that are the same or touch */
};

/** starfmm_options.precision */
enum {
    STARFMM_PRECISION_AUTOMATIC = 0,
    STARFMM_PRECISION_DOUBLE = 1,
    STARFMM_PRECISION_MIXED = 2, /**< pairs in single, expansions and sums in double */
    STARFMM_PRECISION_SINGLE = 3
};

/** starfmm_options.tolerance_of */
enum {
    STARFMM_TOLERANCE_L2 = 0,    /**< the error over all targets, ||error|| / ||value|| */
    STARFMM_TOLERANCE_MEDIAN = 1 /**< the median of the targets' own; of gravity alone */
};

/** starfmm_options.planning */
enum {
    STARFMM_PLANNING_AT_ONCE = 0, /**< when points are taken */
    /** By the next evaluation, which overlaps with it: that call refuses what is wrong with the
     * points. */
    STARFMM_PLANNING_ON_DEMAND = 1
};

/** starfmm_kernel.softening */
enum {
    STARFMM_SOFTENING_PLUMMER = 0, /**< r^2 + epsilon^2 takes the place of r^2 */
    STARFMM_SOFTENING_SPLINE = 1   /**< cubic spline, Newton's point beyond 2.8 epsilon */
};

/** starfmm_sum_report() */
enum { STARFMM_TEXT = 0, STARFMM_JSON = 1 };

/**
 * What one source does to one target, by the name of a kernel: of these, or of one that the program
 * registered from C++. A member that the kernel does not have must be zero.
 *
 * name         points     strength       value, and what it may have after it
 * "log2d"      (n, 2)     1 number       sum q_j log|y - x_j|; gradient: 2 derivatives
 * "harmonic2d" (n, 2)     1, or complex  sum q_j / (x_j - y) of complex places: real, imaginary part
 * "laplace3d"  (n, 3)     1              sum q_j / |y - x_j|; gradient: 3 derivatives
 * "gravity"    (n, 3)     1, the mass    g sum m_j (x_j - y) / r^3, the acceleration;
 *                                        potential: -g sum m_j / r
 */
typedef struct starfmm_kernel {
    size_t size;           /**< sizeof(starfmm_kernel) */
    const char* name;      /**< one of the above; need not outlive the call */
    double epsilon;        /**< gravity: the softening length, unit: the points'; 0: points */
    double g;              /**< gravity: the gravitational constant; 0: 1 */
    int gradient;          /**< log2d, laplace3d: 0 or 1 */
    int complex_strengths; /**< harmonic2d: 0, or 1 for a real and an imaginary part */
    int potential;         /**< gravity: 0 or 1 */
    int softening;         /**< gravity: STARFMM_SOFTENING_* */
} starfmm_kernel;

struct starfmm_const_array;

/** How a sum is computed. Zero leaves a choice to the library, by predicted time. */
typedef struct starfmm_options {
    size_t size;      /**< sizeof(starfmm_options) */
    double tolerance; /**< relative error allowed, (0, 1); 0: 1e-6 */
    double p99;       /**< of the median: what 99 of 100 targets do not exceed; 0: anything */
    double theta;     /**< opening angle, (0, 1); 0: automatic */
    double leaf_size; /**< most points of a leaf, >= 1; 0: automatic */
    int tolerance_of; /**< STARFMM_TOLERANCE_* */
    int method;       /**< STARFMM_METHOD_* */
    int precision;    /**< STARFMM_PRECISION_* */
    int planning;     /**< STARFMM_PLANNING_*; gravity is always planned on demand */
    int order;        /**< terms of an expansion, [1, 64], in space [1, 40]; 0: automatic */
    int levels;       /**< finest level of a pyramid; level of a near field's boxes, which needs it;
                           0: automatic */
    /** (n, 1) of gravity with STARFMM_SOFTENING_SPLINE: a softening length for each source, in the
     * place of epsilon. A pair of bodies has the longer one, a target that is none of them the
     * source's. They stay when points move. NULL: one length for all. Need not outlive the call. */
    const struct starfmm_const_array* lengths;
} starfmm_options;

/**
 * Numbers that the library reads: tables of one row a point, one after the other. Strides may be
 * negative or zero; unit: numbers. starfmm_read_doubles() and starfmm_read_floats() fill it in.
 */
typedef struct starfmm_const_array {
    size_t size;          /**< sizeof(starfmm_const_array) */
    const void* data;     /**< the first number */
    size_t n_rhs;         /**< right-hand sides, a table each; of points 1 */
    size_t n_points;      /**< rows of a table */
    size_t n_components;  /**< numbers of a row */
    ptrdiff_t rhs_stride; /**< from a table to the next one */
    ptrdiff_t point_stride;
    ptrdiff_t component_stride;
    int number; /**< STARFMM_DOUBLE or STARFMM_FLOAT */
    int gpu;    /**< 0: host memory; d + 1: memory of the GPU that CUDA numbers d */
} starfmm_const_array;

/** Numbers that the library writes, as in starfmm_const_array. */
typedef struct starfmm_array {
    size_t size; /**< sizeof(starfmm_array) */
    void* data;
    size_t n_rhs;
    size_t n_points;
    size_t n_components;
    ptrdiff_t rhs_stride;
    ptrdiff_t point_stride;
    ptrdiff_t component_stride;
    int number;
    int gpu;
} starfmm_array;

/** The relative errors of a part of the values, as of the gradient. */
typedef struct starfmm_part_errors {
    char name[32];
    double l2;     /**< ||error|| / ||value|| */
    double median; /**< of the targets' own |error| / |value|, as the next two */
    double p99;    /**< what 99 of 100 targets do not exceed */
    double max;
    double rounding; /**< what double precision may leave of terms that cancel, in L2 */
} starfmm_part_errors;

/** The errors of values against sums in extended precision. */
typedef struct starfmm_errors {
    size_t size;      /**< sizeof(starfmm_errors), set by the caller */
    size_t n_checked; /**< number of targets */
    int are_allowed;  /**< 1 if each part is within what the tolerance allows, else 0 */
    int n_parts;      /**< 1 or 2 */
    starfmm_part_errors parts[2];
} starfmm_errors;

/** Returns doubles (n_points, n_components) as C has them, one row after the other. For k right-hand
 * sides, one table after the other, set n_rhs = k in what it returns. */
static inline starfmm_const_array
starfmm_read_doubles(const double* data, size_t n_points, size_t n_components) {
    starfmm_const_array array;
    array.size = sizeof array;
    array.data = data;
    array.n_rhs = 1;
    array.n_points = n_points;
    array.n_components = n_components;
    array.rhs_stride = (ptrdiff_t)(n_points * n_components);
    array.point_stride = (ptrdiff_t)n_components;
    array.component_stride = 1;
    array.number = STARFMM_DOUBLE;
    array.gpu = 0;
    return array;
}

/** The same of floats. */
static inline starfmm_const_array
starfmm_read_floats(const float* data, size_t n_points, size_t n_components) {
    starfmm_const_array array = starfmm_read_doubles(NULL, n_points, n_components);
    array.data = data;
    array.number = STARFMM_FLOAT;
    return array;
}

/** The same of doubles that are written. */
static inline starfmm_array
starfmm_write_doubles(double* data, size_t n_points, size_t n_components) {
    starfmm_array array;
    array.size = sizeof array;
    array.data = data;
    array.n_rhs = 1;
    array.n_points = n_points;
    array.n_components = n_components;
    array.rhs_stride = (ptrdiff_t)(n_points * n_components);
    array.point_stride = (ptrdiff_t)n_components;
    array.component_stride = 1;
    array.number = STARFMM_DOUBLE;
    array.gpu = 0;
    return array;
}

/** The same of floats that are written. */
static inline starfmm_array
starfmm_write_floats(float* data, size_t n_points, size_t n_components) {
    starfmm_array array = starfmm_write_doubles(NULL, n_points, n_components);
    array.data = data;
    array.number = STARFMM_FLOAT;
    return array;
}

/** Returns the version of the library, as "0.2.0". */
const char* starfmm_version(void);

/** Returns what the last call of this thread that failed says, in UTF-8; empty before. It stays until
 * the next call of this thread that fails. */
const char* starfmm_last_error(void);

/**
 * Starts the workers. A process has one context at a time: the next one can start when the last one
 * and its sums are destroyed. Several threads may use the sums of a context: they wait for each
 * other. A child process that inherits one by fork() gets STARFMM_FAILED where it uses it.
 * \param cores, gpus  numbers of workers, or STARFMM_DEFAULT
 * \param context  set to NULL upon an error; starfmm_context_destroy() ends it
 */
int starfmm_context_create(int cores, int gpus, starfmm_context** context);

/** Sets the numbers of workers that there are. */
int starfmm_context_workers(const starfmm_context* context, int* cores, int* gpus);

/** Ends a context, when the last of its sums is destroyed, too. NULL does nothing. */
void starfmm_context_destroy(starfmm_context* context);

/** Ends the sum that another thread evaluates, if one does, within the time of a task: that call
 * returns STARFMM_INTERRUPTED. A signal handler may call this. */
void starfmm_interrupt(void);

/**
 * Plans a sum, Phi(y_i) = sum over sources j with x_j != y_i of G(y_i, x_j) q_j. O(n log n)
 * \param sources  (n, dimension), copied
 * \param targets  (m, dimension), copied; NULL: the sources
 * \param options  NULL: the defaults
 * \param sum  set to NULL upon an error; starfmm_sum_destroy() ends it
 */
int starfmm_sum_create(
    starfmm_context* context,
    const starfmm_kernel* kernel,
    const starfmm_const_array* sources,
    const starfmm_const_array* targets,
    const starfmm_options* options,
    starfmm_sum** sum
);

/**
 * Evaluates a sum of k right-hand sides, of which up to four share the work. O(n), by every pair
 * O(n m). One thread at a time evaluates, moves, checks or destroys a sum.
 * \param strengths  (k, n, components of a strength), all finite
 * \param values  (k, m, components of a value). STARFMM_BAD_INPUT leaves them as they were (but of
 * page-locked strengths, which are looked at while tasks run); any other error may leave parts.
 */
int starfmm_sum_evaluate(
    starfmm_sum* sum, const starfmm_const_array* strengths, const starfmm_array* values
);

/**
 * Replaces the points, with the same options. O(n log n) After an error the sum has no points until
 * others are taken.
 * \param sources  (n, dimension), of any number
 * \param targets  (m, dimension); NULL: the sources, or where the sum has had targets of its own,
 * those
 */
int starfmm_sum_move(
    starfmm_sum* sum, const starfmm_const_array* sources, const starfmm_const_array* targets
);

/**
 * Compares values with sums in extended precision at random targets. O(n n_targets)
 * \param strengths, values  of starfmm_sum_evaluate(); of k right-hand sides the largest errors count
 * \param n_targets  number of targets to compare at, at least 1; more than there are: all of them
 * \param seed  of the choice of targets
 * \param errors  written unless there is an error; its size is the caller's
 */
int starfmm_sum_check(
    const starfmm_sum* sum,
    const starfmm_const_array* strengths,
    const starfmm_const_array* values,
    size_t n_targets,
    uint64_t seed,
    starfmm_errors* errors
);

/**
 * Says what was chosen and why, and what the last calls took. Waits for the tree.
 * \param format  STARFMM_TEXT, or STARFMM_JSON of the fields of Report in starfmm/sum.hpp
 * \param buffer  [capacity] characters, for the report and a zero; written whole or not at all
 * \param capacity  0: buffer may be NULL, and nothing but `needed` is written
 * \param needed  set to the number of characters with the zero, also where the buffer is too small,
 * which is STARFMM_BAD_INPUT. Times in a report may differ in length from call to call.
 */
int starfmm_sum_report(
    const starfmm_sum* sum, int format, char* buffer, size_t capacity, size_t* needed
);

/** Ends a sum. NULL does nothing. */
void starfmm_sum_destroy(starfmm_sum* sum);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*,readability-*) */
#endif
