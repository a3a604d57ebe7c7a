! SPDX-License-Identifier: BSD-3-Clause
!> A user's program in Fortran 2008: both kinds of numbers, several right-hand sides, targets, moved
!> points, arrays that are not contiguous, errors, reports and misuse.
program consumer
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use starfmm
  implicit none
  integer, parameter :: n = 2500, m = 200
  type(starfmm_context) :: context
  real(real64) :: x(3, n), y(3, m), q(1, n, 2)
  integer :: cores, gpus
  call random_number(x)
  call random_number(y)
  call random_number(q)
  call starfmm_context_create(context)
  call starfmm_context_workers(context, cores, gpus)
  call require(cores + gpus > 0, 'workers')
  call sum_charges()
  call sum_floats()
  call sum_bodies()
  call misuse()
  call starfmm_context_destroy(context)
  print *, 'starfmm ', starfmm_version(), ' from Fortran'

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print *, what, ': ', starfmm_last_error()
    error stop 1
  end subroutine require

  !> Potentials and gradients of two sets of charges at targets, which then move.
  subroutine sum_charges()
    type(starfmm_sum) :: sum
    type(starfmm_errors) :: errors
    real(real64) :: phi(4, m, 2), exact
    integer :: step
    call starfmm_sum_create(sum, context, starfmm_kernel('laplace3d', gradient=.true.), x, y, &
         starfmm_options(tolerance=1e-8_real64))
    do step = 1, 2
      call starfmm_sum_evaluate(sum, q, phi)
      call starfmm_sum_check(sum, q, phi, errors, n_targets=100)
      call require(errors%are_allowed == 1 .and. errors%n_parts == 2, 'tolerance')
      exact = potential_at(y(:, m), q(1, :, 2))
      call require(abs(phi(1, m, 2) / exact - 1) < 1e-6_real64, 'the last potential')
      y(3, :) = y(3, :) + 0.5_real64
      call starfmm_sum_move(sum, x, y)
    end do
    call starfmm_sum_destroy(sum)
  end subroutine sum_charges

  function potential_at(target, charges) result(potential)
    real(real64), intent(in) :: target(3), charges(n)
    real(real64) :: potential
    integer :: j
    potential = 0
    do j = 1, n
      potential = potential + charges(j) / norm2(x(:, j) - target)
    end do
  end function potential_at

  !> Logarithms of floats in the plane, whose every second point takes part.
  subroutine sum_floats()
    type(starfmm_sum) :: sum
    type(starfmm_errors) :: errors
    real(real32) :: points(2, n), charges(n), phi(n / 2)
    character(len=:), allocatable :: report
    points = real(x(:2, :), real32)
    charges = 1
    call starfmm_sum_create(sum, context, starfmm_kernel('log2d'), points(:, ::2), &
         options=starfmm_options(tolerance=1e-4_real64, method=starfmm_method_fmm))
    call starfmm_sum_evaluate(sum, charges(::2), phi)
    call starfmm_sum_check(sum, charges(::2), phi, errors)
    call require(errors%are_allowed == 1 .and. errors%parts(1)%l2 > 0, 'floats')
    call starfmm_sum_report(sum, report)
    call require(index(report, 'log2d: 1250 sources') == 1, 'text')
    call starfmm_sum_report(sum, report, starfmm_json)
    call require(index(report, '"method": "fmm"') > 0, 'JSON')
    call starfmm_sum_destroy(sum)
  end subroutine sum_floats

  !> Accelerations of bodies, and complex strengths in the plane.
  subroutine sum_bodies()
    type(starfmm_sum) :: sum
    type(starfmm_errors) :: errors
    real(real64) :: masses(n), accelerations(3, n), strengths(2, n), fields(2, n)
    masses = 1.0_real64 / n
    call starfmm_sum_create(sum, context, starfmm_kernel('gravity', &
         softening=starfmm_softening_spline, epsilon=1e-2_real64), x, &
         options=starfmm_options(tolerance=1e-3_real64, p99=1e-2_real64, &
         tolerance_of=starfmm_tolerance_median))
    call starfmm_sum_evaluate(sum, masses, accelerations)
    call starfmm_sum_check(sum, masses, accelerations, errors, n_targets=100, seed=2)
    call require(errors%are_allowed == 1 .and. errors%n_checked == 100, 'bodies')
    call starfmm_sum_destroy(sum)
    strengths(1, :) = q(1, :, 1)
    strengths(2, :) = q(1, :, 2)
    call starfmm_sum_create(sum, context, &
         starfmm_kernel('harmonic2d', complex_strengths=.true.), x(:2, :))
    call starfmm_sum_evaluate(sum, strengths, fields)
    call starfmm_sum_check(sum, strengths, fields, errors)
    call require(errors%are_allowed == 1, 'complex strengths')
    call starfmm_sum_destroy(sum)
  end subroutine sum_bodies

  subroutine misuse()
    type(starfmm_sum) :: sum
    real(real64) :: charges(n), phi(n), few(n - 1)
    integer :: status
    charges = 1
    call starfmm_sum_create(sum, context, starfmm_kernel('laplace4d'), x, status=status)
    call require(status == starfmm_bad_input, 'an unknown kernel')
    call require(index(starfmm_last_error(), 'kernel = laplace4d: ') == 1, 'its message')
    call starfmm_sum_evaluate(sum, charges, phi, status)
    call require(status == starfmm_bad_input, 'a sum that is not there')
    call starfmm_sum_create(sum, context, starfmm_kernel('laplace3d'), x)
    few = -1
    call starfmm_sum_evaluate(sum, charges, few, status)
    call require(status == starfmm_bad_input .and. all(few < 0), 'too little room')
    call starfmm_sum_create(sum, context, starfmm_kernel('laplace3d'), x(:2, :), status=status)
    call require(status == starfmm_bad_input, 'points of the plane')
    call starfmm_sum_destroy(sum)
    call starfmm_sum_destroy(sum)
  end subroutine misuse

end program consumer
