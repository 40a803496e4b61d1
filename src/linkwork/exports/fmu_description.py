"""modelDescription.xml of FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as xml

import linkwork
from linkwork.exports.fmu_variables import UNITS, Variable
from linkwork.exports.job import Job

CAPABILITIES = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
CO_SIMULATION = {"canHandleVariableCommunicationStepSize": "true"}
STEP = "0.001"


def _root(job: Job, version: str, title: str) -> xml.Element:
    return xml.Element(
        "fmiModelDescription",
        fmiVersion=version,
        modelName=title,
        description=f"{job.robot.name}, {title.rsplit('_', 2)[-2]} dynamics, by Linkwork",
        generationTool=f"Linkwork {linkwork.__version__}",
        variableNamingConvention="flat",
    )


def _units(root: xml.Element, found: Sequence[Variable], base: str) -> None:
    definitions = xml.SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(variable.unit for variable in found):
        element = xml.SubElement(definitions, "Unit", name=unit)
        xml.SubElement(element, base, {key: str(power) for key, power in UNITS[unit].items()})


def _number(value: float) -> str:
    return repr(float(value))


def fmi2(job: Job, title: str, token: str, found: Sequence[Variable], sources: Sequence[str]) -> bytes:
    """FMI 2.0: time has no variable of its own; derivatives name their state by its place."""
    root = _root(job, "2.0", title)
    root.set("guid", token)
    root.set("numberOfEventIndicators", "0")
    for kind, more in (("ModelExchange", {}), ("CoSimulation", CO_SIMULATION)):
        element = xml.SubElement(
            root,
            kind,
            {"modelIdentifier": title, **CAPABILITIES, "providesDirectionalDerivative": "true", **more},
        )
        listed = xml.SubElement(element, "SourceFiles")
        for name in sources:
            xml.SubElement(listed, "File", name=name)
    _units(root, found, "BaseUnit")
    _log_categories(root)
    xml.SubElement(root, "DefaultExperiment", startTime="0", stopTime="5", stepSize=STEP)
    listed = xml.SubElement(root, "ModelVariables")
    for reference, variable in enumerate(found):
        if variable.causality == "independent":
            continue
        element = xml.SubElement(
            listed,
            "ScalarVariable",
            {"name": variable.name, "valueReference": str(reference), **_kind(variable)},
        )
        words = {"unit": variable.unit}
        if variable.start is not None:
            words["start"] = _number(variable.start)
        if variable.derivative_of is not None:
            words["derivative"] = str(variable.derivative_of)  # places count from one, as time is absent
        xml.SubElement(element, "Real", words)
    structure = xml.SubElement(root, "ModelStructure")
    for name, chosen in _structure(found).items():
        if chosen:
            part = xml.SubElement(structure, name)
            for reference in chosen:
                xml.SubElement(part, "Unknown", index=str(reference))
    return _text(root)


def fmi3(job: Job, title: str, token: str, found: Sequence[Variable]) -> bytes:
    """FMI 3.0."""
    root = _root(job, "3.0", title)
    root.set("instantiationToken", token)
    words = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    words |= {"providesDirectionalDerivatives": "true"}
    for kind, more in (("ModelExchange", {}), ("CoSimulation", CO_SIMULATION)):
        xml.SubElement(root, kind, {"modelIdentifier": title, **words, **more})
    _units(root, found, "BaseUnit")
    _log_categories(root)
    xml.SubElement(root, "DefaultExperiment", startTime="0", stopTime="5", stepSize=STEP)
    listed = xml.SubElement(root, "ModelVariables")
    for reference, variable in enumerate(found):
        words = {"name": variable.name, "valueReference": str(reference), **_kind(variable)}
        words["unit"] = variable.unit
        if variable.start is not None:
            words["start"] = _number(variable.start)
        if variable.derivative_of is not None:
            words["derivative"] = str(variable.derivative_of)
        xml.SubElement(listed, "Float64", words)
    structure = xml.SubElement(root, "ModelStructure")
    names = {"Outputs": "Output", "Derivatives": "ContinuousStateDerivative"}
    for name, chosen in _structure(found).items():
        for reference in chosen:
            xml.SubElement(structure, names.get(name, "InitialUnknown"), valueReference=str(reference))
    return _text(root)


def _kind(variable: Variable) -> dict[str, str]:
    words = {"causality": variable.causality, "variability": variable.variability}
    if variable.initial is not None:
        words["initial"] = variable.initial
    return words


def _structure(found: Sequence[Variable]) -> dict[str, list[int]]:
    """Value references, which are the places in a list without time too."""
    numbered = list(enumerate(found))
    return {
        "Outputs": [k for k, v in numbered if v.causality == "output"],
        "Derivatives": [k for k, v in numbered if v.derivative_of is not None],
        "InitialUnknowns": [k for k, v in numbered if v.initial == "calculated"],
    }


def _log_categories(root: xml.Element) -> None:
    categories = xml.SubElement(root, "LogCategories")
    for name in ("logStatusDiscard", "logStatusError"):
        xml.SubElement(categories, "Category", name=name)


def build_description(title: str, sources: Sequence[str]) -> bytes:
    """sources/buildDescription.xml of FMI 3.0."""
    root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = xml.SubElement(root, "BuildConfiguration", modelIdentifier=title)
    files = xml.SubElement(configuration, "SourceFileSet", language="C99")
    for name in sources:
        xml.SubElement(files, "SourceFile", name=name)
    return _text(root)


def _text(root: xml.Element) -> bytes:
    xml.indent(root)
    return bytes(xml.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"
