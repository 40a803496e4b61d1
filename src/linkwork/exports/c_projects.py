"""Layouts around exported C: a CMake project, an Arduino library."""

from __future__ import annotations

import linkwork
from linkwork.exports.job import Job

CMAKE = """# {name}: a static library from Linkwork{and_check}.
cmake_minimum_required(VERSION 3.10)
project({name} C)

add_library({name} STATIC {folder}{name}.c)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}}/{folder_or_here})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()
"""
CHECK = """
enable_testing()
add_executable({name}_check {name}_check.c)
set_target_properties({name}_check PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
target_link_libraries({name}_check PRIVATE {name})
add_test(NAME {name}_check COMMAND {name}_check)
"""
PROPERTIES = """name={name}
version={version}
author=Linkwork
maintainer=Linkwork
sentence={robot}: {routines}.
paragraph=Written by linkwork export; the header says robot, conventions, units and operations.
category=Device Control
url=
architectures=*
includes={name}.h
"""


def cmake_lists(job: Job, folder: str, with_check: bool) -> str:
    """A project with the library and, as a test, the check."""
    words = {"name": job.name, "folder": folder, "folder_or_here": folder or "."}
    text = CMAKE.format(and_check=", and its check as a test" if with_check else "", **words)
    return text + (CHECK.format(**words) if with_check else "")


def library_properties(job: Job) -> str:
    """What the Arduino tools want to know of a library."""
    routines = ", ".join(routine.name.replace("_", " ") for routine in job.routines)
    return PROPERTIES.format(
        name=job.name, version=linkwork.__version__, robot=job.name, routines=routines
    )
