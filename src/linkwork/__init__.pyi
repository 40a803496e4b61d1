"""The public names and where they are defined, each listed once; `linkwork` hands them out."""

from linkwork.analysis.agreement import verify as verify
from linkwork.analysis.axis_limits import axis_limits as axis_limits
from linkwork.analysis.catalog import Actuator as Actuator
from linkwork.analysis.catalog import Catalog as Catalog
from linkwork.analysis.catalog import read_catalog as read_catalog
from linkwork.analysis.datasheet import DataSheet as DataSheet
from linkwork.analysis.datasheet import datasheet as datasheet
from linkwork.analysis.drive_choice import DriveChoice as DriveChoice
from linkwork.analysis.drive_choice import DriveOption as DriveOption
from linkwork.analysis.drive_choice import DriveSearch as DriveSearch
from linkwork.analysis.drive_loads import Duty as Duty
from linkwork.analysis.drives import DriveDemand as DriveDemand
from linkwork.analysis.drives import DriveStudy as DriveStudy
from linkwork.analysis.drives import drive_study as drive_study
from linkwork.analysis.frequency_response import FrequencyResponse as FrequencyResponse
from linkwork.analysis.frequency_response import frequency_response as frequency_response
from linkwork.analysis.operation_search import minimize_operations as minimize_operations
from linkwork.analysis.operation_search import operation_ablation as operation_ablation
from linkwork.analysis.operation_table import operation_table as operation_table
from linkwork.analysis.requirements import Requirements as Requirements
from linkwork.analysis.requirements import read_requirements as read_requirements
from linkwork.analysis.sizing import Sizing as Sizing
from linkwork.analysis.sizing import size_actuators as size_actuators
from linkwork.analysis.tolerances import Tolerances as Tolerances
from linkwork.analysis.tolerances import tolerances as tolerances
from linkwork.analysis.workspace import ArmWorkspace as ArmWorkspace
from linkwork.analysis.workspace import Workspace as Workspace
from linkwork.analysis.workspace import arm_workspace as arm_workspace
from linkwork.analysis.workspace import workspace as workspace
from linkwork.certification.certify import Certification as Certification
from linkwork.certification.certify import certify as certify
from linkwork.certification.workspace import CertifiedWorkspace as CertifiedWorkspace
from linkwork.certification.workspace import certified_workspace as certified_workspace
from linkwork.control import AdaptiveComputedTorque as AdaptiveComputedTorque
from linkwork.control import AdaptiveTaskSpaceControl as AdaptiveTaskSpaceControl
from linkwork.control import ComputedTorque as ComputedTorque
from linkwork.control import Controller as Controller
from linkwork.control import Disturbance as Disturbance
from linkwork.control import GravityCompensation as GravityCompensation
from linkwork.control import LawController as LawController
from linkwork.control import LoadEstimate as LoadEstimate
from linkwork.control import MomentumObserver as MomentumObserver
from linkwork.control import PayloadObserver as PayloadObserver
from linkwork.control import RobustComputedTorque as RobustComputedTorque
from linkwork.control import State as State
from linkwork.control import TaskSpaceControl as TaskSpaceControl
from linkwork.control import TaskSpacePD as TaskSpacePD
from linkwork.control import pd_gains as pd_gains
from linkwork.control import point_payload as point_payload
from linkwork.core.errors import InputError as InputError
from linkwork.core.errors import KernelError as KernelError
from linkwork.core.errors import LinkworkError as LinkworkError
from linkwork.core.errors import MotionFileError as MotionFileError
from linkwork.core.errors import RobotFileError as RobotFileError
from linkwork.core.errors import WriteError as WriteError
from linkwork.design.optimize import Design as Design
from linkwork.design.optimize import optimize_design as optimize_design
from linkwork.design.study_file import StudyFile as StudyFile
from linkwork.design.study_file import read_study as read_study
from linkwork.design.sweep import Sweep as Sweep
from linkwork.design.sweep import open_sweep as open_sweep
from linkwork.design.sweep import read_sweep as read_sweep
from linkwork.exports import Exported as Exported
from linkwork.exports import export as export
from linkwork.files.faults import RobotWarning as RobotWarning
from linkwork.identification import Identification as Identification
from linkwork.identification import Log as Log
from linkwork.identification import Observation as Observation
from linkwork.identification import excite as excite
from linkwork.identification import identify as identify
from linkwork.identification import identify_payload as identify_payload
from linkwork.identification import observe as observe
from linkwork.identification import read_log as read_log
from linkwork.identification.calibrate import Calibration as Calibration
from linkwork.identification.calibrate import calibrate as calibrate
from linkwork.kernels import Counts as Counts
from linkwork.kernels import Kernel as Kernel
from linkwork.kernels import set_threads as set_threads
from linkwork.kinematics.all_solutions import AllSolutions as AllSolutions
from linkwork.kinematics.assembly_modes import AssemblyModes as AssemblyModes
from linkwork.kinematics.follow import ArmPath as ArmPath
from linkwork.kinematics.forward import BranchWarning as BranchWarning
from linkwork.kinematics.inverse import InverseKinematics as InverseKinematics
from linkwork.kinematics.path_planning import SingularityFreePath as SingularityFreePath
from linkwork.kinematics.user_frames import UserFrames as UserFrames
from linkwork.model.bundled import bundled_names as bundled_names
from linkwork.model.drive import Drive as Drive
from linkwork.model.drive_catalog import DriveParts as DriveParts
from linkwork.model.drive_catalog import read_drive_parts as read_drive_parts
from linkwork.model.findings import lint as lint
from linkwork.model.plausibility import Diagnostic as Diagnostic
from linkwork.model.robot_files import write_robot as write_robot
from linkwork.motion import CartesianLine as CartesianLine
from linkwork.motion import CartesianMotion as CartesianMotion
from linkwork.motion import CartesianPath as CartesianPath
from linkwork.motion import CircularArc as CircularArc
from linkwork.motion import Cubic as Cubic
from linkwork.motion import Excitation as Excitation
from linkwork.motion import LegLengthTrajectory as LegLengthTrajectory
from linkwork.motion import LinearParabolicBlend as LinearParabolicBlend
from linkwork.motion import PlannedMotion as PlannedMotion
from linkwork.motion import PoseWaypoints as PoseWaypoints
from linkwork.motion import Quintic as Quintic
from linkwork.motion import RpyLine as RpyLine
from linkwork.motion import SampledPoses as SampledPoses
from linkwork.motion import SampledTrajectory as SampledTrajectory
from linkwork.motion import SlerpLine as SlerpLine
from linkwork.motion import ToolPath as ToolPath
from linkwork.motion import Trapezoid as Trapezoid
from linkwork.motion import Waypoints as Waypoints
from linkwork.motion import published_path as published_path
from linkwork.motion import read_motion as read_motion
from linkwork.motion import time_optimal as time_optimal
from linkwork.motion import write_motion as write_motion
from linkwork.reports.page import Page as Page
from linkwork.reports.report import report as report
from linkwork.robot.arm import Arm as Arm
from linkwork.robot.base_parameters import BaseParameters as BaseParameters
from linkwork.robot.limits import ActuatorLimits as ActuatorLimits
from linkwork.robot.limits import LimitReport as LimitReport
from linkwork.robot.loading import load as load
from linkwork.robot.loading import load_arm as load_arm
from linkwork.robot.loading import load_mechanism as load_mechanism
from linkwork.robot.loading import load_parallel as load_parallel
from linkwork.robot.loading import load_platform as load_platform
from linkwork.robot.parallel import ParallelRobot as ParallelRobot
from linkwork.robot.platform import Platform as Platform
from linkwork.robot.results import Energy as Energy
from linkwork.robot.results import JointAngles as JointAngles
from linkwork.robot.results import LinkMotion as LinkMotion
from linkwork.robot.results import Manipulability as Manipulability
from linkwork.robot.results import NaturalComplement as NaturalComplement
from linkwork.robot.robot import Mechanism as Mechanism
from linkwork.robot.robot import Robot as Robot
from linkwork.robot.state_space import StateSpace as StateSpace
from linkwork.simulation import Contact as Contact
from linkwork.simulation import DigitalLoop as DigitalLoop
from linkwork.simulation import Rollouts as Rollouts
from linkwork.simulation import Simulation as Simulation
from linkwork.simulation import SimulationError as SimulationError
from linkwork.simulation import SpringWall as SpringWall
from linkwork.simulation import WrenchTable as WrenchTable
from linkwork.simulation import rollout as rollout
from linkwork.simulation import simulate as simulate

# Earlier names.
Blend = LinearParabolicBlend
Catalogue = Catalog
CircleThrough = CircularArc
LegPath = LegLengthTrajectory
Limits = ActuatorLimits
Plan = SingularityFreePath
QuaternionLine = SlerpLine
Sampled = SampledTrajectory
StraightLine = RpyLine
ablation = operation_ablation
check = verify
findings = lint
gains = pd_gains
minimise = minimize_operations
optimise = optimize_design
paper_path = published_path
point_load = point_payload
read_catalogue = read_catalog
read_rows = read_sweep
size = size_actuators

__version__: str
