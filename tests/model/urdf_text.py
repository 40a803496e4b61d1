"""Small URDFs, one element per line."""

from __future__ import annotations

INERTIAL = """<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>
<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>"""
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>\n'


def joint(name: str, kind: str, parent: str, child: str, inside: str = LIMIT) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>\n'


def robot(*parts: str) -> str:
    return '<robot name="test">\n' + "".join(parts) + "</robot>"
