"""Robots from their files and into them: by bundled name, by path, or from a parsed file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from linkwork.core.errors import InputError
from linkwork.core.input_files import read_bytes
from linkwork.core.table_files import Plain, ending_of
from linkwork.core.whole_files import write_bytes
from linkwork.files.declared import Reading
from linkwork.files.faults import Document, FaultyError, error_of, listed, shown, suggestion
from linkwork.files.quantities import angle_unit, noting_angles
from linkwork.files.yaml_lines import LARGEST_FILE, read_yaml, yaml_text
from linkwork.model.bundled import KIND_WORDS, bundled_file, bundled_names, unknown_kind
from linkwork.model.descriptions import description_file, is_description
from linkwork.model.drive_catalog import with_named_parts
from linkwork.model.families.arm import ArmModel, arm_of_mechanism
from linkwork.model.families.arm_file import ArmFile, arm_document, read_arm
from linkwork.model.families.parallel import ParallelModel
from linkwork.model.families.parallel_file import ParallelFile, parallel_document, read_parallel
from linkwork.model.families.stewart import PlatformModel
from linkwork.model.families.stewart_file import PlatformFile, platform_document, read_platform
from linkwork.model.file_parts import RobotFile, WrittenPayload
from linkwork.model.geometry import Body
from linkwork.model.mechanism import MechanismModel
from linkwork.model.mechanism_file import mechanism_document, read_mechanism
from linkwork.model.mechanism_parts import MechanismFile
from linkwork.model.payloads import carrier_of, swings, unloaded, with_payload
from linkwork.model.urdf.chain import ChainSelection
from linkwork.model.urdf.elements import LARGEST_URDF
from linkwork.model.urdf.reader import urdf_model
from linkwork.model.urdf.writer import urdf_text

Model = ArmModel | PlatformModel | ParallelModel | MechanismModel


class Format(NamedTuple):
    """What a kind of robot file declares, and how it is read and written."""

    form: type[RobotFile]
    read: Callable[[Document], Model]
    document: Callable[[Any], Plain]


KINDS: Mapping[str, Format] = {
    "arm": Format(ArmFile, read_arm, arm_document),
    "stewart-platform": Format(PlatformFile, read_platform, platform_document),
    "parallel-robot": Format(ParallelFile, read_parallel, parallel_document),
    "mechanism": Format(MechanismFile, read_mechanism, mechanism_document),
}
WRITTEN = (".yaml", ".yml", ".urdf")
MJCF = (".xml", ".mjcf")
SDF = ".sdf"
ENDINGS = (*WRITTEN, SDF, *MJCF)


class Description(NamedTuple):
    """A robot, the file it was read from, and what that is called."""

    model: Model
    document: Document
    source: str


Source = str | os.PathLike[str] | Plain


def load_model(source: Source, chain: ChainSelection | None = None) -> Model:
    """The robot that `source` describes; see `read_robot`."""
    return read_robot(source, chain).model


def read_robot(source: Source, chain: ChainSelection | None = None) -> Description:
    """The robot that `source` describes, with the file.

    Args:
        source: a bundled name (see `bundled_names`), a name of robot_descriptions, the path of
            a robot file (.yaml, .yml, .urdf, .sdf or MuJoCo's .xml), or the mapping that such a
            YAML file holds.
        chain: which links of a URDF are base and tip, and which joints beside are held still.

    Raises:
        RobotFileError: the description is at fault; lists every fault.
        InputError: there is no such robot or file.
    """
    source = fetched(source) if isinstance(source, str) else source
    chain = ChainSelection() if chain is None else chain
    if not isinstance(chain, ChainSelection):
        raise InputError(f"chain = {shown(chain)}: expected what tip, base and fix choose.")
    if chain.given and not (isinstance(source, str | os.PathLike) and _is_urdf(source)):
        raise InputError(f"tip, base and fix choose a chain in a .urdf; {shown(source)} is none.")
    if isinstance(source, Mapping):
        return _from_document(Document(source), "robot description")
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a robot is given by name, path or dict, not by {shown(source)}")
    written = os.fspath(source)
    if not isinstance(written, str):
        raise InputError("the path of a robot file should be text, not bytes")
    if _is_path(source, written):
        return _from_file(Path(written), chain)
    return _from_library(written)


def fetched(name: str) -> str:
    """The file, where this is a name of robot_descriptions."""
    if is_description(name) and name not in bundled_names() and not os.path.exists(name):
        return str(description_file(name))
    return name


def _is_urdf(source: str | os.PathLike[str]) -> bool:
    return os.fsdecode(os.fspath(source)).lower().endswith(".urdf")


def _is_path(source: object, written: str) -> bool:
    looks_like_one = written.lower().endswith(ENDINGS) or Path(written).name != written
    # A bundled name wins over a folder of the same name that happens to lie about.
    exists = os.path.exists(written) and written not in bundled_names()
    return not isinstance(source, str) or looks_like_one or exists


def _from_library(name: str) -> Description:
    known = bundled_names()
    if name not in known:
        raise InputError(
            f"there is no bundled robot {shown(name)}{suggestion(name, known)}"
            f"; allowed: {listed(known)}, or a path that ends in {listed(ENDINGS)}"
        )
    return _from_yaml(bundled_file(name).read_bytes(), f"{name}.yaml")


def _from_file(path: Path, chain: ChainSelection) -> Description:
    ending = path.suffix.lower()
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; give the path of a file that ends in {listed(ENDINGS)}")
    if ending not in ENDINGS:
        raise InputError(f"{path} does not end in {listed(ENDINGS)}; the ending tells the format")
    if not os.path.exists(path):
        hint = suggestion(path.stem, bundled_names())
        raise InputError(f"there is no file {path}{hint}; paths are relative to the current directory")
    raw = read_bytes(path, LARGEST_FILE if ending in (".yaml", ".yml") else LARGEST_URDF)
    if ending in MJCF:
        return _from_mjcf(str(path))
    if ending == SDF:
        return _from_sdf(raw, str(path))
    if ending == ".urdf":
        return _from_urdf(raw, str(path), chain)
    return _from_yaml(raw, str(path), path.parent)


def _from_mjcf(source: str) -> Description:
    from linkwork.model.mjcf.reader import mjcf_mechanism

    try:
        return Description(*mjcf_mechanism(source), source)
    except FaultyError as error:
        raise error_of(source, error.faults) from None


def _from_sdf(raw: bytes, source: str) -> Description:
    from linkwork.model.sdf.reader import sdf_mechanism

    try:
        return Description(*sdf_mechanism(raw, source), source)
    except FaultyError as error:
        raise error_of(source, error.faults) from None


def _from_urdf(raw: bytes, source: str, chain: ChainSelection) -> Description:
    try:
        return Description(*urdf_model(raw, source, chain), source)
    except FaultyError as error:
        raise error_of(source, error.faults) from None


def _from_yaml(raw: bytes, source: str, folder: Path | None = None) -> Description:
    try:
        document = read_yaml(raw)
    except FaultyError as error:
        raise error_of(source, error.faults) from None
    return _from_document(document, source, folder)


def _from_document(document: Document, source: str, folder: Path | None = None) -> Description:
    """`folder` is that of the file, where it has catalogs; else the current one."""
    faults = list(document.faults)
    try:
        document = with_named_parts(document, folder)
        with noting_angles() as units:
            model = _carrying(_format_of(document).read(document), document)
    except FaultyError as error:
        faults += error.faults
    if faults:
        raise error_of(source, faults)
    return Description(replace(model, angle_unit=angle_unit(units)), document, source)


def _carrying(model: Model, document: Document) -> Model:
    """With the payload of the file, whose fields were judged with all others."""
    assert isinstance(document.data, Mapping)
    if document.data.get("payload") is None:
        return model
    load: Body = Reading().part(WrittenPayload, document.data["payload"])
    if swings(model, load):
        what = "would swing freely: the tool is a point that its joints hold; give a mass only"
        raise FaultyError([document.fault(("payload",), what)])
    return with_payload(model, load)


def _format_of(document: Document) -> Format:
    data = document.data
    if not isinstance(data, Mapping):
        what = f"{shown(data)} is not a robot; a file is a mapping that begins with `kind: arm`"
        raise FaultyError([document.fault((), what)])
    kind = data.get("kind")
    if isinstance(kind, str) and kind in KINDS:
        return KINDS[kind]
    if "kind" not in data:
        what = f"is missing; add a line such as `kind: arm`; allowed: {listed(KINDS)}"
    else:
        what = f"{shown(kind)} {unknown_kind(kind)}"
    raise FaultyError([document.fault(("kind",), what)])


def robot_document(model: Model) -> Plain:
    """What a robot file says of this robot, as plain data."""
    bare, payload = unloaded(model), model.payload
    document = KINDS[model.kind].document(bare)
    if payload is None or carrier_of(bare) is not payload.carrier:
        return document
    load = payload.body
    written = {"mass": load.mass, "center_of_mass": load.center_of_mass.tolist()}
    return {**document, "payload": {**written, "inertia": load.inertia.tolist()}}


def robot_digest(model: Model) -> str:
    """SHA-256 of the robot's file in normal form, as `linkwork convert ROBOT out.yaml` writes it."""
    return document_digest(robot_document(model))


def document_digest(document: Plain) -> str:
    """Of a robot file in normal form."""
    return hashlib.sha256(yaml_text(document).encode()).hexdigest()


def urdf_of(model: Model) -> tuple[str, list[str]]:
    """The URDF of a robot whose file describes one chain, and what of the robot it does not contain."""
    if isinstance(model, ArmModel):
        return urdf_text(model)
    if not isinstance(model, MechanismModel):
        what = KIND_WORDS[model.kind]
        raise InputError(f"{model.name} is a {what}, which a URDF cannot hold; write .yaml.")
    arm = arm_of_mechanism(model)
    if arm is None:
        raise InputError(
            f"{model.name} is not one chain of driven joints, and a URDF holds no loops, rods, "
            "cylinders, springs or couplings; write .yaml."
        )
    return urdf_text(arm)


def write_robot(robot: object, path: str | os.PathLike[str]) -> list[str]:
    """Write a robot, or its `model`, as .yaml or, an arm, as .urdf, whole or not at all.

    Returns:
        What of the robot the file cannot say, in words.
    """
    model = getattr(robot, "model", robot)
    if not isinstance(model, Model):
        raise InputError(f"{robot!r} is not a robot; write_robot takes what lw.load returns.")
    left_out: list[str] = []
    if ending_of(path, WRITTEN) != ".urdf":
        text = yaml_text(robot_document(model))
    else:
        text, left_out = urdf_of(model)
    write_bytes(path, text.encode())
    return left_out
