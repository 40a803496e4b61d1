"""Serial arms, and whole trees, from URDF files.

A link frame is the frame of the URDF link that a moving joint carries. Links behind fixed joints are
merged into the link they are fixed to; what is fixed to the base keeps its place but not its mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linkwork.files.faults import (
    Document,
    Fault,
    FaultyError,
    Path,
    error_of,
    listed,
    shown,
    suggestion,
    warn,
)
from linkwork.model.families.arm import ArmModel, Joint, with_tool
from linkwork.model.families.arm_file import MOST_LINKS
from linkwork.model.geometry import Transform, warn_if_negative
from linkwork.model.mechanism import MechanismModel
from linkwork.model.plausibility import SUBJECTS
from linkwork.model.urdf.chain import ChainSelection, command, mimic_faults, selected
from linkwork.model.urdf.elements import (
    MOVING,
    AttributeReader,
    Element,
    UrdfJoint,
    joint_of,
    link_of,
    read_xml,
)
from linkwork.model.urdf.tree import Group, branch_faults, grouped, tree_faults
from linkwork.model.urdf.whole import loops, urdf_mechanism


def read_urdf(
    text: bytes | str, source: str = "URDF text", chain: ChainSelection | None = None
) -> ArmModel:
    """The serial arm in the text of a URDF; `source` names it in errors, `chain` is what to read of it.

    Raises:
        RobotFileError: not a URDF, or not of a serial arm; lists every fault.
    """
    try:
        return urdf_arm(text, source, chain or ChainSelection())[0]
    except FaultyError as error:
        raise error_of(source, error.faults) from None


def urdf_model(
    text: bytes | str, source: str, chain: ChainSelection
) -> tuple[ArmModel | MechanismModel, Document]:
    """An arm if the joints form one chain or a tip is chosen, else the whole tree as a mechanism."""
    root, read = _root(text)
    name = read.text(root, "name", "robot")
    base, tree = _groups(root, read, chain)
    advice = command(tree, source) if tree else ""
    single = not [*mimic_faults(tree, advice), *branch_faults(base, advice)] and not loops(root)
    if chain.tip is not None or single:
        return urdf_arm(text, source, chain)
    model = urdf_mechanism(name, base, root, read)
    if read.faults:
        raise FaultyError(read.faults)
    if read.remarks:
        warn(f"{source}: {'; '.join(read.remarks)}")
    return replace(model, accept=tuple(_accepted(root)), source=source), Document({}, {})


def urdf_arm(text: bytes | str, source: str, chain: ChainSelection) -> tuple[ArmModel, Document]:
    """The arm, and the lines of its links as those of an arm file; FaultyError with every fault."""
    root, read = _root(text)
    name = read.text(root, "name", "robot")
    base, tree = _groups(root, read, chain)
    faults = list(read.faults)
    if tree:
        advice = command(tree, source)
        faults += [*mimic_faults(tree, advice), *branch_faults(base, advice)]
    if faults:
        raise FaultyError(faults)
    moving = _moving(base)
    if not 1 <= len(moving) <= MOST_LINKS:
        what = f"there are {len(moving)} moving joints; an arm has 1 to {MOST_LINKS}"
        raise FaultyError([Fault("robot", what, root.line)])
    joints = tuple(_joint(group, entry) for group, entry in moving)
    if read.remarks:
        warn(f"{source}: {'; '.join(read.remarks)}")
    for joint in joints:
        warn_if_negative(joint.body.inertia, joint.name)
    model = ArmModel(name, joints, source=source, accept=tuple(_accepted(root)), angle_unit="rad")
    tool = moving[-1][0].tip(tree, chain.tip)
    return (with_tool(model, tool) if tool.moves else model), _document(moving)


def _root(text: bytes | str) -> tuple[Element, AttributeReader]:
    root = read_xml(text)
    if root.tag != "robot":
        what = f"the first element is <{root.tag}>; a URDF begins with <robot>"
        raise FaultyError([Fault("", what, root.line)])
    return root, AttributeReader()


def _accepted(root: Element) -> Iterator[str]:
    """Subjects of findings that the file silences: <linkwork accept="gravity inertia"/>."""
    for element in root.named("linkwork"):
        for subject in element.attributes.get("accept", "").replace(",", " ").split():
            if subject not in SUBJECTS:
                what = f"accept: {shown(subject)} is unknown{suggestion(subject, SUBJECTS)}; allowed: "
                raise FaultyError([Fault("linkwork", what + listed(SUBJECTS), element.line)])
            yield subject


def _document(moving: list[tuple[Group, UrdfJoint]]) -> Document:
    """Where the parts of an arm file would stand in the URDF."""
    lines: dict[Path, int] = {}
    for k, (group, entry) in enumerate(moving):
        lines["links", k] = entry.line
        for part in ("mass", "center_of_mass", "inertia"):
            lines["links", k, part] = group.links[0].line
    written = [{"name": entry.name, "rpy": entry.rpy} for _, entry in moving]
    return Document({"links": written}, lines)


def _groups(
    root: Element, read: AttributeReader, chain: ChainSelection
) -> tuple[Group, list[UrdfJoint]]:
    """The rigid groups of a sound tree, and its joints with those held still as fixed ones.

    FaultyError otherwise, with every fault of links and joints.
    """
    links = [link_of(element, read) for element in root.named("link")]
    joints = [joint_of(element, read) for element in root.named("joint")]
    if not links:
        read.note(root, "robot", "has no <link>; an arm has a base link and one per joint")
    broken = list(tree_faults(links, joints))
    if broken or not links:
        raise FaultyError(read.faults + broken)
    try:
        links, joints = selected(links, joints, chain)
    except FaultyError as error:
        raise FaultyError(read.faults + error.faults) from None
    return grouped(links, joints), joints


def _moving(base: Group) -> list[tuple[Group, UrdfJoint]]:
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
