"""The serial arm as users meet it: arrays in, arrays out."""
# mypy: disable-error-code="empty-body"
# Bodies of methods that are `computed` are made from their signatures.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from linkwork.core.arguments import flag
from linkwork.core.checked import checked
from linkwork.mechanics.chain.methods import METHODS
from linkwork.model.parameters import arm_with, parameter_values
from linkwork.robot.arm_base import ArmBase
from linkwork.robot.compiled import Array, DType, Errors
from linkwork.robot.method_bodies import computed, exerted
from linkwork.robot.results import (
    Energy,
    ForwardDerivatives,
    InverseDerivatives,
    LinkMotion,
    Manipulability,
    MechanismReactions,
    Modes,
    NaturalComplement,
    modes_of,
    needs_stiffness,
)

if TYPE_CHECKING:
    from linkwork.kinematics.all_solutions import AllSolutions
    from linkwork.kinematics.follow import ArmPath
    from linkwork.kinematics.inverse import InverseKinematics

TOLERANCE = 1e-12  # of inverse kinematics: [m], longer arms than a meter in proportion; and [rad]
RESTARTS = 100


class Arm(ArmBase):
    """Dynamics of a serial arm: a `Robot` whose coordinates are its joints q.

    It adds formulations, kinematics of poses, and results in link frames.

    Arrays have any leading batch shape and broadcast; the last axis is the joint. SI units, radians.
    Every method takes `errors`: "raise" (default) makes a non-finite number an error that names its
    row and joint, "nan" fills the rows concerned with NaN.
    """

    @computed(METHODS)
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Joint torques [N m] and forces [N] that a motion needs, shape (..., n).

        Args:
            q, qd, qdd: joint positions, velocities and accelerations, (..., n).
            gravity: acceleration of gravity in base axes, (..., 3); the robot's own if None.
            tip_wrench: force, then moment, of the last link on its surroundings, in the last link's
                frame and at its origin, (..., 6).
            wrench: what acts on the last link instead, as in `Robot`: the opposite of `tip_wrench`.
            friction, rotors: include joint friction, reflected rotor inertia.
            formulation: "newton-euler" (Luh, Walker and Paul), "modified-newton-euler" (Turney 5),
                "angeles" (his recursions), "lagrange" (Uicker's form), "recursive-lagrange"
                (Hollerbach), "natural-complement" (Angeles 7.5), "kane", "gibbs-appell", or "minimal",
                the fewest operations; None is the fastest.
            base_motion: angular velocity, angular acceleration and linear acceleration of the base in
                base axes, (..., 9), for a base that moves.
        """

    @computed(METHODS)
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Joint accelerations under torques `tau`, (..., n). At rest, friction takes no torque.

        Args:
            formulation: "composite" bodies (M and an L D L' solution) or "articulated" bodies; as the
                papers do it, M and bias by "strobing" the Newton-Euler recursion (Turney 7), by
                "lagrange", or by the "natural-complement" (Angeles 7.5). None takes the cheaper of the
                first two for this number of joints.
            base_motion: as in `inverse_dynamics`.
        """

    @computed(METHODS)
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        formulation: str | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> InverseDerivatives:
        """Exact derivatives of `inverse_dynamics` by q, qd and qdd, (..., n, n) each.

        Coulomb friction is piecewise constant: it adds nothing, and at zero velocity, where it jumps,
        the derivative is that of the rest of the torque.
        """

    @computed(METHODS)
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        friction: bool = True,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> ForwardDerivatives:
        """Exact derivatives of `forward_dynamics` by q, qd and tau, (..., n, n) each.

        Coulomb friction adds nothing, as in `inverse_dynamics_derivatives`.
        """

    @computed(METHODS)
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Y (..., n, 15 n) with Y @ parameters.values = inverse_dynamics(q, qd, qdd)."""

    def with_parameters(self, values: ArrayLike) -> Arm:
        """The same arm with other values of `parameters`."""
        return Arm(arm_with(self.model, parameter_values(self.parameters, values)))

    @computed(METHODS)
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        rotors: bool = True,
        formulation: str | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """M(q), (..., n, n), by composite bodies, "strobing", "lagrange" or "natural-complement"."""

    @computed(METHODS)
    def coriolis_matrices(
        self,
        q: ArrayLike,
        *,
        formulation: str | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """C(q), (..., n, n, n): Coriolis and centrifugal torque i is qd . C[i] . qd.

        The elements C[i, j, k] are the Christoffel symbols of M; by "strobing" or "lagrange".
        """

    @computed(METHODS)
    def gravity_load(
        self,
        q: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Torques that hold the arm against gravity, (..., n)."""

    def stiffness(
        self,
        q: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Array:
        """K (..., n, n) at rest with motors held: torque per small motion of the joints.

        Drives are springs, `stiffness` [N m/rad or N/m] of every link in the robot file; gravity and the
        tip wrench add their part. The compliance of the tip is J K^-1 J'.
        """
        stiff = [joint.stiffness for joint in self.model.joints]
        needs_stiffness(self.name, self.joint_names, stiff, "links.stiffness")
        return self._run("stiffness", (q,), (gravity, tip_wrench), errors)

    def vibration_modes(
        self,
        q: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> Modes:
        """Frequencies [Hz] and shapes of small vibrations about rest, undamped; rotors are held."""
        K = self.stiffness(q, gravity, tip_wrench, errors=errors)
        return modes_of(K, self.mass_matrix(q, rotors=False, errors=errors))

    @computed(METHODS)
    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        friction: bool = False,
        formulation: str | None = None,
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Torques at qdd = 0: qd . C . qd + g, and what tip wrench and base motion add, (..., n)."""

    @computed(METHODS)
    def forward_kinematics(
        self,
        q: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Pose of the last link's frame in the base, (..., 4, 4)."""

    @computed(METHODS)
    def link_frames(
        self,
        q: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Poses of all link frames in the base, (..., n, 4, 4)."""

    @computed(METHODS)
    def jacobian(
        self,
        q: ArrayLike,
        frame: int | str | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Twist of a link frame per joint velocity: linear, then angular, base axes, (..., 6, n).

        Args:
            frame: its index in `link_frames`, or the name of its joint; None is the last.
        """

    @computed(METHODS)
    def jacobian_dot(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: int | str | None = None,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """Time derivative of the Jacobian, (..., 6, n): acceleration = J qdd + J_rate qd."""

    @computed(METHODS)
    def link_motion(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> LinkMotion:
        """Velocities and accelerations of every link frame and center of mass, in base axes."""

    def manipulability(
        self, q: ArrayLike, frame: int | str | None = None, *, errors: Errors = "raise"
    ) -> Manipulability:
        """Yoshikawa's measure, the condition number and the ellipsoids of velocity of a link frame."""
        from linkwork.kinematics.singularity import manipulability

        return manipulability(self, q, frame, errors)

    @checked
    def inverse_kinematics(
        self,
        pose: ArrayLike,
        guess: ArrayLike | None = None,
        frame: int | str | None = None,
        limits: bool = True,
        *,
        mask: Sequence[bool] | None = None,
        posture: ArrayLike | None = None,
        restarts: int = RESTARTS,
        tolerance: float = TOLERANCE,
        seed: int = 0,
        **earlier: Any,
    ) -> InverseKinematics:
        """Joint positions that bring a link frame to poses, or as near as it gets.

        Starts from the guess; where that fails, from random positions within the limits. A pose that
        cannot be reached is no error: `converged` is False there, and `q` is the nearest that was found.
        A singular pose that is reached is converged; `near_singular` of the result tells it.

        Args:
            pose: (..., 7) x y z and unit quaternion w x y z, (..., 6) x y z roll pitch yaw, or
                (..., 4, 4) as forward_kinematics returns it.
            guess: joint positions (..., n); None is home.
            frame: of which link, as in `jacobian`; None is the last.
            limits: keep the limits of the joints.
            mask: six flags of the directions that count: x y z in base axes, and turns about the x y z
                axes of the pose; for arms with fewer than six joints, or tasks that leave one free.
            posture: joint positions (..., n) to stay near, as far as the pose leaves them free.
            restarts: random starts per pose that the guess does not lead to.
            tolerance: of distances [m] (longer arms than a meter: in proportion) and angles [rad].
            seed: of the random starts.
        """
        if earlier.pop("all", False):  # as `all_solutions` was called
            return self.all_solutions(pose, frame, limits, seed=seed, **earlier)  # type: ignore[return-value]
        if earlier:
            raise TypeError(
                f"inverse_kinematics() got an unexpected keyword argument {next(iter(earlier))!r}"
            )
        from linkwork.kinematics.inverse import inverse_kinematics

        return inverse_kinematics(
            self,
            pose,
            guess,
            frame=frame,
            limits=flag(limits, "limits"),
            mask=mask,
            posture=posture,
            restarts=restarts,
            tolerance=tolerance,
            seed=seed,
        )

    @checked
    def all_solutions(
        self,
        pose: ArrayLike,
        frame: int | str | None = None,
        limits: bool = True,
        *,
        fixed: Mapping[int | str, float] | None = None,
        seed: int = 0,
    ) -> AllSolutions:
        """Every solution of one pose, for six revolute joints; needs the extra `ik`.

        Args:
            pose, limits: as in `inverse_kinematics`.
            frame: the last one only.
            fixed: positions of joints that stand still, by index or name: a seventh one.
            seed: of the random starts that look for solutions beyond the closed form.
        """
        from linkwork.kinematics.all_solutions import all_solutions

        return all_solutions(self, pose, frame, flag(limits, "limits"), fixed, seed)

    def placed(self, q: Array, target: Array, turn: bool = True) -> Array:
        """As in `Robot`, within the limits of the joints."""
        mask = None if turn else (True, True, True, False, False, False)
        return self.inverse_kinematics(target, q, mask=mask, restarts=0).q

    @checked
    def follow(
        self,
        poses: ArrayLike,
        start: ArrayLike | None = None,
        frame: int | str | None = None,
        limits: bool = True,
        *,
        mask: Sequence[bool] | None = None,
        time: ArrayLike | None = None,
    ) -> ArmPath:
        """Joint positions along a path of poses, on one branch from the first to the last.

        The result tells where the path passes near a singularity and, with `time`, the velocities of
        the joints. A path that leaves the reach, meets a limit or loses its branch is an error that
        names the samples and the reason.

        Args:
            poses: (N, 7), (N, 6) or (N, 4, 4), as in `inverse_kinematics`.
            start: joint positions near those at the first pose, which choose the branch.
            time: of the samples [s], (N,).
        """
        from linkwork.kinematics.follow import follow

        return follow(self, poses, start, frame, flag(limits, "limits"), mask, time)

    @computed(METHODS)
    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
        out: Array | None = None,
    ) -> Array:
        """All reactions: force, then moment, of link i-1 on link i, (..., n, 6).

        In the axes of link i's frame; the moment is about the joint's origin on link i-1, which for
        standard Denavit-Hartenberg frames is the origin of frame i-1. Rigid-body part only.
        """

    def reactions(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tip_wrench: ArrayLike | None = None,
        *,
        errors: Errors = "raise",
    ) -> MechanismReactions:
        """Forces and moments in all joints in the form that all mechanisms have: base axes, names."""
        return super().reactions(q, qd, qdd, exerted(None, tip_wrench), errors=errors)

    @computed(METHODS)
    def energy(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        gravity: ArrayLike | None = None,
        *,
        rotors: bool = True,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> Energy:
        """Kinetic and potential energy; the potential is zero with all mass at the base origin."""

    @computed(METHODS)
    def natural_complement(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        tip_wrench: ArrayLike | None = None,
        *,
        friction: bool = True,
        base_motion: ArrayLike | None = None,
        dtype: DType = "float64",
        errors: Errors = "raise",
    ) -> NaturalComplement:
        """Twist-shaping matrix T, its rate, constraint matrix K, T'MT and the wrenches on the links.

        Args:
            friction: whether joints have it: then actuators supply it and w^D takes it.
        """
