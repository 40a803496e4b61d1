"""Sweeps over many variants that survive interruptions: rows in files that appear whole or not at all.

Variants are numbered; a chunk is a range of numbers, and its rows are one Parquet file. A file that is
there is complete, so a sweep goes on where it stopped, in any order, on any number of machines that
share the folder, and no row is lost or doubled. On Dask workers chunks are tasks, and rows come back.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import logging
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.arguments import path_of
from linkwork.core.checked import checked
from linkwork.core.errors import InputError, LinkworkError, WriteError
from linkwork.core.input_files import opened, read_bytes
from linkwork.core.labeled import Labeled, LabeledTable, Tabular
from linkwork.core.table_files import Columns, Plain, plain, write_table
from linkwork.core.whole_files import clear_abandoned, write_bytes
from linkwork.design.loops import LoopEvaluator, loop_evaluator
from linkwork.design.metrics import METRICS, Evaluator, MotionSamples, evaluator, units_of
from linkwork.design.sampling import count_of, variants
from linkwork.design.study_file import (
    SamplingPlan,
    StudyFile,
    StudyVariable,
    held_states,
    read_study,
    sampled_motions,
)
from linkwork.model.robot_files import robot_document

MANIFEST, LARGEST_MANIFEST = "manifest.json", 2**20
STATES = 2_000_000  # of a chunk, about: a fifth of a second, so that few seconds show progress
FILES, GROWTH = 1000, 10  # beyond so many files chunks grow, up to so many times: folders stay short
FEWEST, MOST = 16, 65_536  # variants of a chunk
NUMBER, REASON = "variant", "error"


@dataclass(frozen=True)
class SweepPart:
    """Every `of`-th chunk, beginning with chunk `index` - 1, for job arrays."""

    index: int = 1
    of: int = 1


@dataclass(frozen=True, eq=False)
class Task:
    """All that makes a chunk: plain data and a robot by its numbers, which travel to workers."""

    evaluator: Evaluator | LoopEvaluator
    variables: tuple[StudyVariable, ...]
    sampling: SamplingPlan
    chunk: int
    count: int
    version: str

    def rows(self, index: int) -> Columns:
        """The columns of one chunk."""
        start, stop = index * self.chunk, min((index + 1) * self.chunk, self.count)
        values = variants(self.sampling, self.variables, start, stop)
        found, reasons = self.evaluator(values)
        columns: dict[str, Any] = {NUMBER: np.arange(start, stop)}
        columns |= {each.name: values[:, k] for k, each in enumerate(self.variables)}
        return {**columns, **found, REASON: np.array(reasons, dtype=object)}


@dataclass(frozen=True, eq=False)
class Sweep(Tabular):
    """A study and the folder of its rows."""

    study: StudyFile
    task: Task
    folder: Path

    def table(self) -> LabeledTable:
        """The rows that are there, in the order of their numbers."""
        rows = read_sweep(self.folder)
        metrics = [name for name in rows if name in METRICS]
        units = units_of(self.task.evaluator.robot, metrics)
        units |= {each.name: "rad" for each in self.task.variables if each.is_angle}
        arrays = {name: Labeled(rows[name], (NUMBER,), units=units.get(name, "")) for name in rows}
        return LabeledTable(NUMBER, arrays, {"robot": self.task.evaluator.robot.name})

    @property
    def count(self) -> int:
        """Variants in all."""
        return self.task.count

    @property
    def chunks(self) -> int:
        """Files in all."""
        return -(-self.task.count // self.task.chunk)

    @property
    def states(self) -> int:
        """Of the robot per variant."""
        return self.task.evaluator.states

    @checked
    def file(self, index: int) -> Path:
        """Where the rows of a chunk are, or will be."""
        return self.folder / f"part-{index:07d}.parquet"

    @checked
    def missing(self, part: SweepPart = SweepPart()) -> list[int]:
        """Chunks that are not there yet, or damaged."""
        mine = range(part.index - 1, self.chunks, part.of)
        return [index for index in mine if not self._is_sound(index)]

    def _is_sound(self, index: int) -> bool:
        file = self.file(index)
        if not file.exists():
            return False
        try:
            numbers = read_part(file)[NUMBER].to_numpy()
        except (InputError, KeyError):
            return False
        start = index * self.task.chunk
        return np.array_equal(numbers, np.arange(start, min(start + self.task.chunk, self.count)))

    @cached_property
    def manifest(self) -> Plain:
        """What the rows belong to."""
        return {
            "version": self.task.version,
            "robot": _digest(robot_document(self.task.evaluator.robot.model)),
            "study": _digest(_essence(self.study)),
            "motions": _digest([_motion(each) for each in self.task.evaluator.motions]),
            "variants": self.task.count,
            "chunk": self.task.chunk,
            "method": self.task.sampling.method,
            "variables": [each.name for each in self.task.variables],
            "angles": [each.name for each in self.task.variables if each.is_angle],
            "angle_unit": self.study.angle_unit,
            "metrics": list(self.task.evaluator.metrics),
            "units": units_of(self.task.evaluator.robot, self.task.evaluator.metrics),
        }

    def prepare(self) -> None:
        """Make the folder and its manifest, or check that those there belong to this study."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"{self.folder} cannot be made: {error.strerror}.") from error
        clear_abandoned(self.folder)
        path = self.folder / MANIFEST
        if not path.exists():
            if any(self.folder.iterdir()):
                raise InputError(f"{self.folder} is not empty and holds no sweep; name another folder.")
            write_bytes(path, json.dumps(plain(self.manifest), indent=2).encode())
        found = read_manifest(self.folder)
        changed = [name for name, value in plain(self.manifest).items() if found.get(name) != value]
        if changed:
            raise InputError(
                f"{self.folder} holds rows of another sweep: {', '.join(changed)} changed since. Take "
                "another folder, or delete this one."
            )

    def run(
        self,
        part: SweepPart = SweepPart(),
        advance: Callable[[int], None] = lambda done: None,
    ) -> int:
        """Make all missing chunks, here and now; returns how many variants were computed."""
        self.prepare()
        done = 0
        for index in self.missing(part):
            done += self.store(index, self.task.rows(index))
            advance(1)
        return done

    def store(self, index: int, columns: Columns) -> int:
        """Write the rows of a chunk, whole or not at all."""
        write_table(self.file(index), columns)
        return len(columns[NUMBER])


@checked
def open_sweep(source: str | os.PathLike[str] | StudyFile, folder: str | os.PathLike[str]) -> Sweep:
    """A sweep over the variants of a study, with its rows in a folder."""
    from linkwork import __version__

    study = source if isinstance(source, StudyFile) else read_study(source)
    robot = study.load_robot()
    fields = [each.name for each in study.variables]
    found: Evaluator | LoopEvaluator
    if study.controller is not None:
        motions = [study.beside(name) for name in study.motions]
        loop = (study.controller, study.loop)
        found = loop_evaluator(robot, fields, motions, study.metrics, *loop)
    else:
        found = evaluator(
            robot,
            fields,
            sampled_motions(study, robot),
            study.metrics,
            held_states(study, robot),
            clearance=study.clearance,
            leg_diameter=study.leg_diameter,
        )
    count = count_of(study.sampling, study.variables)
    chunk = chunk_of(count, found.states)
    task = Task(found, study.variables, study.sampling, chunk, count, __version__)
    return Sweep(study, task, path_of(folder, "folder"))


def chunk_of(count: int, states: int) -> int:
    """Variants of a file, of `count` variants with so many states each."""
    growth = np.clip(count * states / (STATES * FILES), 1, GROWTH)
    return int(np.clip(STATES * growth // states, FEWEST, MOST))


def read_manifest(folder: str | os.PathLike[str]) -> Plain:
    """What a folder of rows belongs to."""
    path = Path(folder) / MANIFEST
    try:
        found = json.loads(read_bytes(path, LARGEST_MANIFEST))
    except (InputError, OSError) as error:
        raise InputError(f"{folder} holds no sweep: {path.name} cannot be read.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}; delete the folder and begin anew.") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} is damaged; delete the folder and begin anew.")
    return found


@checked
def read_sweep(folder: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """All rows of a sweep in the order of their numbers, complete or not."""
    read_manifest(folder)
    paths = sorted(Path(folder).glob("part-*.parquet"))
    if not paths:
        raise InputError(f"{folder} holds no rows yet.")
    tables = [read_part(path) for path in paths]
    import pyarrow

    table = pyarrow.concat_tables(tables)
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


def read_part(path: Path) -> Any:
    """The table of one file; an InputError if it is damaged, which its checksums tell."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise LinkworkError("reading Parquet needs pyarrow: pip install pyarrow") from None
    try:
        with opened(path) as file:
            return pyarrow.parquet.read_table(file, page_checksum_verification=True)
    except (InputError, OSError, pyarrow.ArrowException) as error:
        raise InputError(f"{path} is damaged; run the sweep again, which makes it anew.") from error


def part_of(text: str) -> SweepPart:
    """`3/16` as a part."""
    index, slash, of = text.partition("/")
    if not (slash and index.isdigit() and of.isdigit() and 1 <= int(index) <= int(of)):
        raise InputError(f"--part {text!r}: expected I/N with 1 <= I <= N, such as 3/16.")
    return SweepPart(int(index), int(of))


def _digest(value: object) -> str:
    text = json.dumps(plain(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _essence(study: StudyFile) -> Plain:
    """What of a study determines its rows."""
    asked = study.asked
    states = ("excursions", "combined", "velocities", "accelerations")
    required = {} if asked is None else {name: getattr(asked, name) for name in states}
    return {
        **required,
        "variables": [vars(each) for each in study.variables],
        "metrics": study.metrics,
        "sampling": vars(study.sampling),
        "cover": study.cover,
        "period": study.period,
        "clearance": study.clearance,
        "leg_diameter": study.leg_diameter,
        "controller": study.controller,
        "loop": study.loop,
    }


def _motion(samples: MotionSamples) -> list[str]:
    arrays = (samples.time, samples.position, samples.velocity, samples.acceleration)
    return [hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() for array in arrays]


AHEAD = 4  # chunks under way per worker


class WorkerVersionError(LinkworkError):
    """A worker has another version of Linkwork than the sweep."""


def rows_of(task: Task, index: int) -> tuple[str, Columns]:
    """What a worker does: its version, and the rows of a chunk."""
    from linkwork import __version__

    return __version__, task.rows(index)


def check_version(theirs: str, ours: str) -> None:
    """An error if a worker computes with another version than the sweep's."""
    if theirs != ours:
        raise WorkerVersionError(
            f"a worker has Linkwork {theirs}, this is {ours}; install the same version on all. Rows so "
            "far are kept."
        )


def run_on(
    sweep: Sweep,
    address: str,
    part: SweepPart,
    advance: Callable[[int], None] = lambda done: None,
) -> int:
    """Make all missing chunks on the workers of a scheduler; `local` starts one on this machine.

    Workers get the robot by its numbers and need no files. A worker that dies loses its tasks to others.
    """
    try:
        dask: Any = importlib.import_module("distributed")
    except ImportError:
        raise LinkworkError("--cluster needs Dask: pip install distributed") from None
    sweep.prepare()
    missing = sweep.missing(part)
    if not missing:
        return 0
    cluster = None
    if address == "local":
        with _ctrl_c_waits():
            cluster = dask.LocalCluster(
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
    try:
        client = dask.Client(cluster or address, timeout="10s")
    except (OSError, ValueError) as error:
        raise LinkworkError(
            f"--cluster {address}: no scheduler answers there ({error}). Allowed are local and "
            "addresses such as tcp://host:8786."
        ) from error
    done = 0
    try:
        task = client.scatter(sweep.task, broadcast=True)
        waiting = iter(missing)
        ahead = AHEAD * max(1, len(client.scheduler_info()["workers"]))
        running = dask.as_completed(with_results=False)
        places: dict[object, int] = {}
        for _, index in zip(range(ahead), waiting, strict=False):
            _start(client, running, places, task, index)
        for future in running:
            index = places.pop(future)
            try:
                version, columns = future.result()
            except dask.scheduler.KilledWorker as error:
                raise LinkworkError(
                    f"chunk {index} ended several workers one after another; rows so far are kept."
                ) from error
            check_version(version, sweep.task.version)
            sweep.store(index, columns)
            done += len(columns[NUMBER])
            advance(1)
            future.release()
            if (following := next(waiting, None)) is not None:
                _start(client, running, places, task, following)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
    return done


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """What is started meanwhile never sees Ctrl-C: this process ends it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(client: Any, running: Any, places: dict[object, int], task: object, index: int) -> None:
    future = client.submit(rows_of, task, index, pure=False, retries=3)
    places[future] = index
    running.add(future)
