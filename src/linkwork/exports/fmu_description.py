"""modelDescription.xml of FMI 2.0 and 3.0, and buildDescription.xml."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as xml

import linkwork
from linkwork.exports.fmu_equations import UNITS, FmuVariable
from linkwork.exports.job import ExportJob

CO_SIMULATION = {"canHandleVariableCommunicationStepSize": "true"}
STRUCTURE = {"Outputs": "Output", "Derivatives": "ContinuousStateDerivative"}  # names of FMI 3.0


def description(
    job: ExportJob,
    version: str,
    title: str,
    token: str,
    found: Sequence[FmuVariable],
    sources: Sequence[str],
) -> bytes:
    """What importers read first. In FMI 2.0 time has no variable of its own, and sources stand here."""
    old = version == "2.0"
    root = xml.Element(
        "fmiModelDescription",
        fmiVersion=version,
        modelName=title,
        description=f"{job.robot.name}, {' '.join(title.split('_')[-2:])}, by Linkwork",
        generationTool=f"Linkwork {linkwork.__version__}",
        variableNamingConvention="flat",
    )
    can = ["canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives"]
    root.set("guid" if old else "instantiationToken", token)
    if old:
        root.set("numberOfEventIndicators", "0")
        can = [name.replace("FMUState", "FMUstate").removesuffix("s") for name in can]  # its names
    abilities = dict.fromkeys(can, "true")
    for kind, more in (("ModelExchange", {}), ("CoSimulation", CO_SIMULATION)):
        element = xml.SubElement(root, kind, {"modelIdentifier": title, **abilities, **more})
        if old:
            _list(element, "SourceFiles", "File", sources)
    definitions = xml.SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(variable.unit for variable in found):
        element = xml.SubElement(definitions, "Unit", name=unit)
        xml.SubElement(element, "BaseUnit", {key: str(power) for key, power in UNITS[unit].items()})
    _list(root, "LogCategories", "Category", ("logStatusDiscard", "logStatusError"))
    xml.SubElement(root, "DefaultExperiment", startTime="0", stopTime="5", stepSize="0.001")
    listed = xml.SubElement(root, "ModelVariables")
    for reference, variable in enumerate(found):
        named = {"name": variable.name, "valueReference": str(reference), **_kind(variable)}
        numbers = {"unit": variable.unit}
        if variable.start is not None:
            numbers["start"] = repr(float(variable.start))
        if variable.derivative_of is not None:  # in FMI 2.0 a place, which counts from one without time
            numbers["derivative"] = str(variable.derivative_of)
        if not old:
            xml.SubElement(listed, "Float64", {**named, **numbers})
        elif variable.causality != "independent":
            xml.SubElement(xml.SubElement(listed, "ScalarVariable", named), "Real", numbers)
    structure = xml.SubElement(root, "ModelStructure")
    for name, chosen in _structure(found).items():
        part = xml.SubElement(structure, name) if old and chosen else structure
        for reference in chosen:
            if old:
                xml.SubElement(part, "Unknown", index=str(reference))
            else:
                word = STRUCTURE.get(name, "InitialUnknown")
                xml.SubElement(part, word, valueReference=str(reference))
    return _text(root)


def _kind(variable: FmuVariable) -> dict[str, str]:
    words = {"causality": variable.causality, "variability": variable.variability}
    if variable.initial is not None:
        words["initial"] = variable.initial
    return words


def _structure(found: Sequence[FmuVariable]) -> dict[str, list[int]]:
    """Value references, which are the places in a list without time too."""
    numbered = list(enumerate(found))
    return {
        "Outputs": [k for k, v in numbered if v.causality == "output"],
        "Derivatives": [k for k, v in numbered if v.derivative_of is not None],
        "InitialUnknowns": [k for k, v in numbered if v.initial == "calculated"],
    }


def _list(parent: xml.Element, name: str, item: str, names: Sequence[str]) -> None:
    listed = xml.SubElement(parent, name)
    for each in names:
        xml.SubElement(listed, item, name=each)


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
