"""Models of bundled robots, kept once they are read and checked.

Reading a robot file takes the YAML parser and the schemas, which take longer to load than all else that
a first answer needs. A model from the cache belongs to the bytes of its file and to the readers.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.kernels import cache as disk
from linkwork.kernels import sources
from linkwork.robots.bundled import bundled_file

if TYPE_CHECKING:
    from linkwork.robots.files import Model

KIND = "model"


def bundled_model(name: str) -> Model:
    """The model of a bundled robot, from the cache if it was read before."""
    readers = sources.fingerprint_of(sources.files_below("robots"))
    key = None
    if readers is not None:
        raw = bundled_file(name).read_bytes()
        key = hashlib.sha256(b"\0".join([readers.encode(), np.__version__.encode(), name.encode(), raw]))
        model = _stored(key.hexdigest())
        if model is not None:
            return model
    from linkwork.robots.files import load_model

    model = load_model(name)
    if key is not None:
        disk.write(key.hexdigest(), pickle.dumps(model), KIND)
    return model


def _stored(key: str) -> Model | None:
    content = disk.read(key, KIND)
    if content is None:
        return None
    try:
        model: Any = pickle.loads(content)  # as trustworthy as the machine code beside it
    except Exception:  # of a NumPy or Python that wrote it in another way
        model = None
    if not dataclasses.is_dataclass(model):
        disk.discard(key, KIND)
        return None
    _freeze(model)
    found: Model = model  # type: ignore[assignment]
    return found


def _freeze(value: Any) -> None:
    """Models are read-only, and pickles forget that of arrays."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (tuple, list)):
        for item in value:
            _freeze(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _freeze(getattr(value, field.name))
