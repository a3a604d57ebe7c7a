! SPDX-License-Identifier: BSD-3-Clause
!> Sums over pairs of points, by the functions of starfmm.h, which says more of each.
!>
!> Points are arrays (D, n) of doubles or floats: x, y and z of a point side by side. Strengths are
!> (n), or (s, n) of s components, values (m) or (v, m); of k right-hand sides (s, n, k), (v, m, k).
!> An array that is not contiguous is copied.
!>
!> `status` is one of the codes below, and starfmm_last_error() says what was wrong. A call without
!> it that fails writes that to standard error and stops the program, as allocate does.
module starfmm
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_float, c_int, c_int64_t, &
       c_intptr_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  public :: starfmm_context_create, starfmm_context_workers, starfmm_context_destroy
  public :: starfmm_sum_create, starfmm_sum_evaluate, starfmm_sum_move, starfmm_sum_check
  public :: starfmm_sum_report, starfmm_sum_destroy
  public :: starfmm_interrupt, starfmm_last_error, starfmm_version

  !> How a call ended.
  integer, parameter, public :: starfmm_ok = 0
  integer, parameter, public :: starfmm_failed = 1
  integer, parameter, public :: starfmm_bad_input = 2
  integer, parameter, public :: starfmm_no_memory = 3
  integer, parameter, public :: starfmm_interrupted = 4

  !> Choices of starfmm_options and starfmm_kernel, and formats of starfmm_sum_report.
  integer(c_int), parameter, public :: starfmm_method_automatic = 0
  integer(c_int), parameter, public :: starfmm_method_fmm = 1
  integer(c_int), parameter, public :: starfmm_method_direct = 2
  integer(c_int), parameter, public :: starfmm_method_near_field = 3
  integer(c_int), parameter, public :: starfmm_precision_automatic = 0
  integer(c_int), parameter, public :: starfmm_precision_double = 1
  integer(c_int), parameter, public :: starfmm_precision_mixed = 2
  integer(c_int), parameter, public :: starfmm_precision_single = 3
  integer(c_int), parameter, public :: starfmm_tolerance_l2 = 0
  integer(c_int), parameter, public :: starfmm_tolerance_median = 1
  integer(c_int), parameter, public :: starfmm_planning_at_once = 0
  integer(c_int), parameter, public :: starfmm_planning_on_demand = 1
  integer(c_int), parameter, public :: starfmm_softening_plummer = 0
  integer(c_int), parameter, public :: starfmm_softening_spline = 1
  integer(c_int), parameter, public :: starfmm_text = 0
  integer(c_int), parameter, public :: starfmm_json = 1

  !> The workers that sums run on.
  type, public :: starfmm_context
    private
    type(c_ptr) :: handle = c_null_ptr
  end type starfmm_context

  !> A sum over pairs of points, planned once and evaluated any number of times.
  type, public :: starfmm_sum
    private
    type(c_ptr) :: handle = c_null_ptr
  end type starfmm_sum

  !> What one source does to one target: 'log2d', 'harmonic2d', 'laplace3d' or 'gravity', and what
  !> the kernel has, as starfmm_kernel('laplace3d', gradient=.true.).
  type, public :: starfmm_kernel
    character(len=32) :: name = ''
    logical :: gradient = .false.          !< log2d, laplace3d
    logical :: complex_strengths = .false. !< harmonic2d
    logical :: potential = .false.         !< gravity
    integer(c_int) :: softening = starfmm_softening_plummer
    real(c_double) :: epsilon = 0          !< gravity: softening length, unit: the points'
    real(c_double) :: g = 0                !< gravity: the gravitational constant; 0: 1
  end type starfmm_kernel

  !> How a sum is computed, as starfmm_options(tolerance=1d-9). Zero leaves a choice to the library.
  type, bind(c), public :: starfmm_options
    integer(c_size_t) :: size = 0    !< set by this module
    real(c_double) :: tolerance = 0  !< relative error allowed, (0, 1); 0: 1e-6
    real(c_double) :: p99 = 0        !< of the median: what 99 of 100 targets do not exceed
    real(c_double) :: theta = 0      !< opening angle, (0, 1)
    real(c_double) :: leaf_size = 0  !< most points of a leaf, >= 1
    integer(c_int) :: tolerance_of = starfmm_tolerance_l2
    integer(c_int) :: method = starfmm_method_automatic
    integer(c_int) :: precision = starfmm_precision_automatic
    integer(c_int) :: planning = starfmm_planning_at_once
    integer(c_int) :: order = 0      !< terms of an expansion, [1, 64], in space [1, 40]
    integer(c_int) :: levels = 0     !< of a pyramid; of a near field's boxes, which needs it
    type(c_ptr) :: lengths = c_null_ptr !< bodies have one softening length here; C gives more
  end type starfmm_options

  !> The relative errors of a part of the values.
  type, bind(c), public :: starfmm_part_errors
    character(kind=c_char) :: name(32) = c_null_char
    real(c_double) :: l2 = 0         !< ||error|| / ||value||
    real(c_double) :: median = 0     !< of the targets' own |error| / |value|, as the next two
    real(c_double) :: p99 = 0        !< what 99 of 100 targets do not exceed
    real(c_double) :: max = 0
    real(c_double) :: rounding = 0   !< what double precision may leave of terms that cancel
  end type starfmm_part_errors

  !> The errors of values against sums in extended precision.
  type, bind(c), public :: starfmm_errors
    integer(c_size_t) :: size = 0      !< set by this module
    integer(c_size_t) :: n_checked = 0 !< number of targets
    integer(c_int) :: are_allowed = 0  !< 1 if each part is within what the tolerance allows
    integer(c_int) :: n_parts = 0      !< 1 or 2
    type(starfmm_part_errors) :: parts(2)
  end type starfmm_errors

  integer(c_int), parameter :: default_workers = -1
  integer(c_int), parameter :: of_doubles = 0, of_floats = 1

  !> starfmm_kernel of C.
  type, bind(c) :: c_kernel
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr
    real(c_double) :: epsilon = 0, g = 0
    integer(c_int) :: gradient = 0, complex_strengths = 0, potential = 0, softening = 0
  end type c_kernel

  !> starfmm_array and starfmm_const_array of C.
  type, bind(c) :: c_array
    integer(c_size_t) :: size = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: n_rhs = 1, n_points = 0, n_components = 0
    integer(c_intptr_t) :: rhs_stride = 0, point_stride = 0, component_stride = 1
    integer(c_int) :: number = of_doubles, gpu = 0
  end type c_array

  interface
    function c_version() bind(c, name='starfmm_version')
      import :: c_ptr
      type(c_ptr) :: c_version
    end function c_version

    function c_last_error() bind(c, name='starfmm_last_error')
      import :: c_ptr
      type(c_ptr) :: c_last_error
    end function c_last_error

    function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function c_strlen

    function c_context_create(cores, gpus, context) bind(c, name='starfmm_context_create')
      import :: c_int, c_ptr
      integer(c_int), value :: cores, gpus
      type(c_ptr), intent(out) :: context
      integer(c_int) :: c_context_create
    end function c_context_create

    function c_context_workers(context, cores, gpus) bind(c, name='starfmm_context_workers')
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), intent(inout) :: cores, gpus
      integer(c_int) :: c_context_workers
    end function c_context_workers

    subroutine c_context_destroy(context) bind(c, name='starfmm_context_destroy')
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine c_context_destroy

    !> Ends the sum that another thread evaluates, if one does.
    subroutine starfmm_interrupt() bind(c, name='starfmm_interrupt')
    end subroutine starfmm_interrupt

    function c_sum_create(context, kernel, sources, targets, options, sum) &
         bind(c, name='starfmm_sum_create')
      import :: c_array, c_int, c_kernel, c_ptr
      type(c_ptr), value :: context
      type(c_kernel), intent(in) :: kernel
      type(c_array), intent(in) :: sources
      type(c_ptr), value :: targets, options
      type(c_ptr), intent(out) :: sum
      integer(c_int) :: c_sum_create
    end function c_sum_create

    function c_sum_evaluate(sum, strengths, values) bind(c, name='starfmm_sum_evaluate')
      import :: c_array, c_int, c_ptr
      type(c_ptr), value :: sum
      type(c_array), intent(in) :: strengths, values
      integer(c_int) :: c_sum_evaluate
    end function c_sum_evaluate

    function c_sum_move(sum, sources, targets) bind(c, name='starfmm_sum_move')
      import :: c_array, c_int, c_ptr
      type(c_ptr), value :: sum, targets
      type(c_array), intent(in) :: sources
      integer(c_int) :: c_sum_move
    end function c_sum_move

    function c_sum_check(sum, strengths, values, n_targets, seed, errors) &
         bind(c, name='starfmm_sum_check')
      import :: c_array, c_int, c_int64_t, c_ptr, c_size_t, starfmm_errors
      type(c_ptr), value :: sum
      type(c_array), intent(in) :: strengths, values
      integer(c_size_t), value :: n_targets
      integer(c_int64_t), value :: seed
      type(starfmm_errors), intent(inout) :: errors
      integer(c_int) :: c_sum_check
    end function c_sum_check

    function c_sum_report(sum, form, buffer, capacity, needed) bind(c, name='starfmm_sum_report')
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: sum
      integer(c_int), value :: form
      character(kind=c_char), intent(inout) :: buffer(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
      integer(c_int) :: c_sum_report
    end function c_sum_report

    subroutine c_sum_destroy(sum) bind(c, name='starfmm_sum_destroy')
      import :: c_ptr
      type(c_ptr), value :: sum
    end subroutine c_sum_destroy
  end interface

  !> Plans a sum. Targets that are left out are the sources.
  interface starfmm_sum_create
    module procedure create_double, create_float
  end interface starfmm_sum_create

  !> Evaluates a sum. Bad input leaves values as they were.
  interface starfmm_sum_evaluate
    module procedure evaluate_double_11, evaluate_double_12, evaluate_double_22
    module procedure evaluate_double_33, evaluate_float_11, evaluate_float_12
    module procedure evaluate_float_22, evaluate_float_33
  end interface starfmm_sum_evaluate

  !> Replaces the points. Targets that are left out stay, or are the sources.
  interface starfmm_sum_move
    module procedure move_double, move_float
  end interface starfmm_sum_move

  !> Compares values with sums in extended precision at random targets, 1000 by default.
  interface starfmm_sum_check
    module procedure check_double_11, check_double_12, check_double_22
    module procedure check_double_33, check_float_11, check_float_12
    module procedure check_float_22, check_float_33
  end interface starfmm_sum_check

  !> Contiguous numbers as C sees them.
  interface view
    module procedure view_double_1, view_double_2, view_double_3
    module procedure view_float_1, view_float_2, view_float_3
  end interface view

contains

  !> Returns the version of the library, as '0.2.0'.
  function starfmm_version() result(text)
    character(len=:), allocatable :: text
    text = string_at(c_version())
  end function starfmm_version

  !> Returns what the last call of this thread that failed says.
  function starfmm_last_error() result(text)
    character(len=:), allocatable :: text
    text = string_at(c_last_error())
  end function starfmm_last_error

  !> Starts the workers. A process has one context at a time.
  !> By default these are every GPU, and every core or none beside a GPU.
  subroutine starfmm_context_create(context, cores, gpus, status)
    type(starfmm_context), intent(inout) :: context !< one that it was is destroyed
    integer, intent(in), optional :: cores, gpus
    integer, intent(out), optional :: status
    integer(c_int) :: n_cores, n_gpus
    call starfmm_context_destroy(context)
    n_cores = default_workers
    n_gpus = default_workers
    if (present(cores)) n_cores = int(cores, c_int)
    if (present(gpus)) n_gpus = int(gpus, c_int)
    call finish(c_context_create(n_cores, n_gpus, context%handle), status)
  end subroutine starfmm_context_create

  !> Sets the numbers of workers that there are.
  subroutine starfmm_context_workers(context, cores, gpus, status)
    type(starfmm_context), intent(in) :: context
    integer, intent(out) :: cores, gpus
    integer, intent(out), optional :: status
    integer(c_int) :: n_cores, n_gpus
    n_cores = 0
    n_gpus = 0
    call finish(c_context_workers(context%handle, n_cores, n_gpus), status)
    cores = n_cores
    gpus = n_gpus
  end subroutine starfmm_context_workers

  !> Ends a context, when the last of its sums is destroyed, too.
  subroutine starfmm_context_destroy(context)
    type(starfmm_context), intent(inout) :: context
    call c_context_destroy(context%handle)
    context%handle = c_null_ptr
  end subroutine starfmm_context_destroy

  !> Ends a sum.
  subroutine starfmm_sum_destroy(sum)
    type(starfmm_sum), intent(inout) :: sum
    call c_sum_destroy(sum%handle)
    sum%handle = c_null_ptr
  end subroutine starfmm_sum_destroy

  !> Says what was chosen and why, and what the last calls took, as text or as JSON.
  subroutine starfmm_sum_report(sum, text, form, status)
    type(starfmm_sum), intent(in) :: sum
    character(len=:), allocatable, intent(out) :: text
    integer(c_int), intent(in), optional :: form
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed
    integer(c_int) :: code, as
    as = starfmm_text
    if (present(form)) as = form
    needed = 0
    allocate (buffer(4096))
    code = c_sum_report(sum%handle, as, buffer, size(buffer, kind=c_size_t), needed)
    if (needed > size(buffer)) then ! which another thread's evaluation does not outgrow
      deallocate (buffer)
      allocate (buffer(needed + 1024))
      code = c_sum_report(sum%handle, as, buffer, size(buffer, kind=c_size_t), needed)
    end if
    text = ''
    if (code == starfmm_ok) text = joined(buffer(:needed - 1))
    call finish(code, status)
  end subroutine starfmm_sum_report

  subroutine create_double(sum, context, kernel, sources, targets, options, status)
    type(starfmm_sum), intent(inout) :: sum
    type(starfmm_context), intent(in) :: context
    type(starfmm_kernel), intent(in) :: kernel
    real(c_double), intent(in), contiguous, target :: sources(:, :)
    real(c_double), intent(in), contiguous, optional, target :: targets(:, :)
    type(starfmm_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_array), target :: of_targets
    if (present(targets)) of_targets = view(targets)
    call create(sum, context, kernel, view(sources), of_targets, options, status)
  end subroutine create_double

  subroutine move_double(sum, sources, targets, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: sources(:, :)
    real(c_double), intent(in), contiguous, optional, target :: targets(:, :)
    integer, intent(out), optional :: status
    type(c_array), target :: of_targets
    if (present(targets)) of_targets = view(targets)
    call finish(c_sum_move(sum%handle, view(sources), if_any(of_targets)), status)
  end subroutine move_double

  subroutine evaluate_double_11(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:)
    real(c_double), intent(inout), contiguous, target :: values(:)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_double_11

  subroutine check_double_11(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:), values(:)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_double_11

  subroutine evaluate_double_12(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:)
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_double_12

  subroutine check_double_12(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:), values(:, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_double_12

  subroutine evaluate_double_22(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:, :)
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_double_22

  subroutine check_double_22(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:, :), values(:, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_double_22

  subroutine evaluate_double_33(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:, :, :)
    real(c_double), intent(inout), contiguous, target :: values(:, :, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_double_33

  subroutine check_double_33(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_double), intent(in), contiguous, target :: strengths(:, :, :), values(:, :, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_double_33

  function view_double_1(x) result(array)
    real(c_double), intent(in), contiguous, target :: x(:)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_doubles, [1_c_size_t, size(x, kind=c_size_t)])
  end function view_double_1

  function view_double_2(x) result(array)
    real(c_double), intent(in), contiguous, target :: x(:, :)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_doubles, shape(x, kind=c_size_t))
  end function view_double_2

  function view_double_3(x) result(array)
    real(c_double), intent(in), contiguous, target :: x(:, :, :)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_doubles, shape(x, kind=c_size_t))
  end function view_double_3

  subroutine create_float(sum, context, kernel, sources, targets, options, status)
    type(starfmm_sum), intent(inout) :: sum
    type(starfmm_context), intent(in) :: context
    type(starfmm_kernel), intent(in) :: kernel
    real(c_float), intent(in), contiguous, target :: sources(:, :)
    real(c_float), intent(in), contiguous, optional, target :: targets(:, :)
    type(starfmm_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_array), target :: of_targets
    if (present(targets)) of_targets = view(targets)
    call create(sum, context, kernel, view(sources), of_targets, options, status)
  end subroutine create_float

  subroutine move_float(sum, sources, targets, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: sources(:, :)
    real(c_float), intent(in), contiguous, optional, target :: targets(:, :)
    integer, intent(out), optional :: status
    type(c_array), target :: of_targets
    if (present(targets)) of_targets = view(targets)
    call finish(c_sum_move(sum%handle, view(sources), if_any(of_targets)), status)
  end subroutine move_float

  subroutine evaluate_float_11(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:)
    real(c_float), intent(inout), contiguous, target :: values(:)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_float_11

  subroutine check_float_11(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:), values(:)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_float_11

  subroutine evaluate_float_12(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:)
    real(c_float), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_float_12

  subroutine check_float_12(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:), values(:, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_float_12

  subroutine evaluate_float_22(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:, :)
    real(c_float), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_float_22

  subroutine check_float_22(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:, :), values(:, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_float_22

  subroutine evaluate_float_33(sum, strengths, values, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:, :, :)
    real(c_float), intent(inout), contiguous, target :: values(:, :, :)
    integer, intent(out), optional :: status
    call finish(c_sum_evaluate(sum%handle, view(strengths), view(values)), status)
  end subroutine evaluate_float_33

  subroutine check_float_33(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    real(c_float), intent(in), contiguous, target :: strengths(:, :, :), values(:, :, :)
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    call check(sum, view(strengths), view(values), errors, n_targets, seed, status)
  end subroutine check_float_33

  function view_float_1(x) result(array)
    real(c_float), intent(in), contiguous, target :: x(:)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_floats, [1_c_size_t, size(x, kind=c_size_t)])
  end function view_float_1

  function view_float_2(x) result(array)
    real(c_float), intent(in), contiguous, target :: x(:, :)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_floats, shape(x, kind=c_size_t))
  end function view_float_2

  function view_float_3(x) result(array)
    real(c_float), intent(in), contiguous, target :: x(:, :, :)
    type(c_array) :: array
    array = contiguous_array(c_loc(x), of_floats, shape(x, kind=c_size_t))
  end function view_float_3

  !> Plans a sum over the sources of a view.
  subroutine create(sum, context, kernel, sources, targets, options, status)
    type(starfmm_sum), intent(inout) :: sum !< one that it was is destroyed
    type(starfmm_context), intent(in) :: context
    type(starfmm_kernel), intent(in) :: kernel
    type(c_array), intent(in) :: sources
    type(c_array), intent(in), target :: targets !< of no data: the sources
    type(starfmm_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    character(kind=c_char), target :: name(len(kernel%name) + 1)
    type(starfmm_options), target :: how
    type(c_kernel) :: of
    integer :: i
    call starfmm_sum_destroy(sum)
    name = c_null_char
    do i = 1, len_trim(kernel%name)
      name(i) = kernel%name(i:i)
    end do
    of%size = c_sizeof(of)
    of%name = c_loc(name)
    of%epsilon = kernel%epsilon
    of%g = kernel%g
    of%gradient = merge(1, 0, kernel%gradient)
    of%complex_strengths = merge(1, 0, kernel%complex_strengths)
    of%potential = merge(1, 0, kernel%potential)
    of%softening = kernel%softening
    if (present(options)) how = options
    how%size = c_sizeof(how)
    call finish(c_sum_create(context%handle, of, sources, if_any(targets), c_loc(how), &
         sum%handle), status)
  end subroutine create

  !> Checks values of views.
  subroutine check(sum, strengths, values, errors, n_targets, seed, status)
    type(starfmm_sum), intent(in) :: sum
    type(c_array), intent(in) :: strengths, values
    type(starfmm_errors), intent(out) :: errors
    integer, intent(in), optional :: n_targets, seed
    integer, intent(out), optional :: status
    integer(c_size_t) :: n
    integer(c_int64_t) :: chosen_by
    n = 1000
    chosen_by = 1
    if (present(n_targets)) n = max(n_targets, 0)
    if (present(seed)) chosen_by = seed
    errors%size = c_sizeof(errors)
    call finish(c_sum_check(sum%handle, strengths, values, n, chosen_by, errors), status)
  end subroutine check

  !> \param extents  components, points, and right-hand sides if there are several
  function contiguous_array(data, number, extents) result(array)
    type(c_ptr), intent(in) :: data
    integer(c_int), intent(in) :: number
    integer(c_size_t), intent(in) :: extents(:)
    type(c_array) :: array
    array%size = c_sizeof(array)
    array%data = data
    array%number = number
    array%n_components = extents(1)
    array%n_points = extents(2)
    if (size(extents) > 2) array%n_rhs = extents(3)
    array%point_stride = extents(1)
    array%rhs_stride = extents(1) * extents(2)
  end function contiguous_array

  !> The address of a view that may be of nothing.
  function if_any(array) result(address)
    type(c_array), intent(in), target :: array
    type(c_ptr) :: address
    address = c_null_ptr
    if (array%size > 0) address = c_loc(array)
  end function if_any

  function string_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    call c_f_pointer(address, characters, [c_strlen(address)])
    text = joined(characters)
  end function string_at

  function joined(characters) result(text)
    character(kind=c_char), intent(in) :: characters(:)
    character(len=size(characters)) :: text
    integer :: i
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function joined

  !> Hands a code to the caller, or stops the program.
  subroutine finish(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= starfmm_ok) then
      write (error_unit, '(2a)') 'starfmm: ', starfmm_last_error()
      error stop 1
    end if
  end subroutine finish

end module starfmm
