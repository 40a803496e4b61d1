"""Serial arms from URDF files.

A link frame is the frame of the URDF link that a moving joint carries. Links behind fixed joints are
merged into the link they are fixed to; what is fixed to the base keeps its place but not its mass.
"""

from __future__ import annotations

from linkwork.robots.arm import ArmModel, Joint
from linkwork.robots.arm_schema import MOST_LINKS
from linkwork.robots.faults import Fault, FaultyError, error_of
from linkwork.robots.geometry import Transform
from linkwork.robots.robot_warnings import warn, warn_if_negative
from linkwork.robots.urdf_attributes import AttributeReader
from linkwork.robots.urdf_elements import MOVING, UrdfJoint, joint_of, link_of
from linkwork.robots.urdf_tree import Group, branch_faults, grouped, tree_faults
from linkwork.robots.urdf_xml import Element, read_xml


def read_urdf(text: bytes | str, source: str = "URDF text") -> ArmModel:
    """The serial arm in the text of a URDF; `source` names it in errors.

    Raises:
        RobotFileError: not a URDF, or not of a serial arm; lists every fault.
    """
    try:
        return _arm(read_xml(text), source)
    except FaultyError as error:
        raise error_of(source, error.faults) from None


def _arm(root: Element, source: str) -> ArmModel:
    if root.tag != "robot":
        what = f"the first element is <{root.tag}>; a URDF begins with <robot>"
        raise FaultyError([Fault("", what, root.line)])
    read = AttributeReader()
    name = read.text(root, "name", "robot")
    base = _groups(root, read)
    chain = _chain(base)
    if not 1 <= len(chain) <= MOST_LINKS:
        what = f"there are {len(chain)} moving joints; an arm has 1 to {MOST_LINKS}"
        raise FaultyError([Fault("robot", what, root.line)])
    joints = tuple(_joint(group, entry) for group, entry in chain)
    if read.remarks:
        warn(f"{source}: {'; '.join(read.remarks)}")
    for joint in joints:
        warn_if_negative(joint.body.inertia, joint.name)
    return ArmModel(name, joints, source=source)


def _groups(root: Element, read: AttributeReader) -> Group:
    """The rigid groups of a sound tree without branches; FaultyError otherwise, with every fault."""
    links = [link_of(element, read) for element in root.named("link")]
    joints = [joint_of(element, read) for element in root.named("joint")]
    if not links:
        read.note(root, "robot", "has no <link>; an arm has a base link and one per joint")
    broken = list(tree_faults(links, joints))
    if broken or not links:
        raise FaultyError(read.faults + broken)
    base = grouped(links, joints)
    faults = read.faults + list(branch_faults(base))
    if faults:
        raise FaultyError(faults)
    return base


def _chain(base: Group) -> list[tuple[Group, UrdfJoint]]:
    chain = []
    group = base
    while group.next:
        (group,) = group.next
        assert group.entry is not None
        chain.append((group, group.entry))
    return chain


def _joint(group: Group, entry: UrdfJoint) -> Joint:
    return Joint(
        name=entry.name,
        kind=MOVING[entry.type],
        before=group.before,
        axis=entry.axis,
        offset=0.0,
        after=Transform(),
        body=group.body,
        friction=entry.friction,
        limits=entry.limits,
    )
