"""Small robots, each with a field that few files have; most break a limit along their motions."""

from __future__ import annotations

from textwrap import dedent

_LINK = "joint: revolute, a: 0.5, mass: 2, center_of_mass: [-0.2, 0, 0], inertia: [0.01, 0.05, 0.05]"
_FIVE_BAR = """
    kind: parallel-robot
    name: %s
    gravity: [0, -9.81, 0]
    coordinates: [x, y]
    home: [0, 0.35, 0, 0, 0, 0]
    platform: {mass: 0.3}
    leg_defaults:
      joints:
        - {actuated: true, rotor: 5.0e-4, viscous: 1.0e-3, limits: {position: [-0.1, 0.1], effort: 1.6}}
    legs:
      - name: left
        joints:
          - {R: [0, 0, 1], at: [-0.1, 0, 0], link: {mass: 0.4, from: [-0.1, 0, 0], to: [-0.23, 0.17, 0]}}
          - R: [0, 0, 1]
            at: [-0.23, 0.17, 0]
            link: {mass: 0.25, from: [-0.23, 0.17, 0], to: [0, 0.35, 0]}
            %s
          - {S: , at: [0, 0.35, 0]}
      - name: right
        joints:
          - {R: [0, 0, 1], at: [0.1, 0, 0], link: {mass: 0.4, from: [0.1, 0, 0], to: [0.23, 0.17, 0]}}
          - R: [0, 0, 1]
            at: [0.23, 0.17, 0]
            link: {mass: 0.25, from: [0.23, 0.17, 0], to: [0, 0.35, 0]}
          - {S: , at: [0, 0.35, 0]}
"""
_THIRD_LEG = """
      - name: below
        joints:
          - {R: [0, 0, 1], at: [0.3, 0.4, 0], link: {mass: 0.4, from: [0.3, 0.4, 0], to: [0.2, 0.55, 0]}}
          - {R: [0, 0, 1], at: [0.2, 0.55, 0], link: {mass: 0.2, from: [0.2, 0.55, 0], to: [0, 0.35, 0]}}
          - {S: , at: [0, 0.35, 0]}
"""


def _arm(name: str, *fields: str, more: str = "") -> str:
    links = "\n".join(f"  - {{name: j{k}, {_LINK}, {each}}}" for k, each in enumerate(fields, 1))
    return (
        f"kind: arm\nname: {name}\nconvention: standard\ngravity: [0, -9.81, 0]\n{more}links:\n{links}\n"
    )


TEXTS = {
    "coulomb-only": _arm(
        "coulomb-only",
        "friction: {coulomb: [2.5, -1.5]}, limits: {effort: 20}",
        "friction: {coulomb: 0.75}, limits: {position: [-1, 0.2], effort: 4}",
    ),
    "one-joint": _arm("one-joint", "rotor: {inertia: 1.0e-4, gear_ratio: 50}, limits: {velocity: 0.4}"),
    "with-tool": _arm(
        "with-tool",
        "limits: {effort: 20}",
        "friction: {viscous: 0.2}",
        more="tool: {position: [0.1, 0, 0.05], rpy: [0, 90 deg, 0]}\n",
    ),
    "envelope": _arm(
        "envelope",
        "limits: {effort_velocity: [[0, 40], [0.5, 20], [1.5, 5]]}",
        "limits: {effort: 30, effort_velocity: [[0, 8], [2, 2]]}",
    ),
    "passive-limits": dedent(_FIVE_BAR % ("passive-limits", "limits: {position: [-2 deg, 2 deg]}")),
    "redundant-motors": dedent((_FIVE_BAR % ("redundant-motors", "viscous: 2.0e-3")) + _THIRD_LEG),
    "coulomb-legs": dedent("""
        kind: stewart-platform
        name: coulomb-legs
        geometry:
          {base_radius: 0.5, platform_radius: 0.3, base_spread: 0.5, platform_spread: 0.35, height: 0.6}
        platform: {mass: 20, center_of_mass: [0.01, 0, 0.05], inertia: [0.4, 0.4, 0.7]}
        leg_defaults:
          lower: {mass: 2, center_of_mass: [0.15, 0, 0], inertia: [0.001, 0.02, 0.02]}
          upper: {mass: 1, center_of_mass: [-0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}
          friction: {coulomb: 15}
          limits:
            {length: [0.5, 0.72], rate: 0.3, force_velocity: [[0, 60], [1, 5]], spherical_angle: 5 deg}
        """),
    "moving-base": dedent("""
        kind: mechanism
        name: moving-base
        bodies:
          carriage: {mass: 3, center_of_mass: [0, 0, 0], inertia: [0.01, 0.01, 0.02]}
          left-arm: {mass: 0.4, from: [-0.1, 0, 0], to: [-0.23, 0, 0.17], radius: 0.01}
          right-arm: {mass: 0.4, from: [0.1, 0, 0], to: [0.23, 0, 0.17], radius: 0.01}
          tip: {mass: 0.5, from: [-0.23, 0, 0.17], to: [0, 0, 0.35], radius: 0.01}
        joints:
          rail:
            {P: x, joins: [base, carriage], motor: true, coulomb: [4, -3],
             limits: {position: [-0.2, 0.02], effort: 6}}
          left: {R: y, joins: [carriage, left-arm], at: [-0.1, 0, 0], motor: true, limits: {effort: 1.5}}
          right: {R: y, joins: [carriage, right-arm], at: [0.1, 0, 0], motor: true, rotor: 2.0e-3}
          elbow:
            {R: y, joins: [left-arm, tip], at: [-0.23, 0, 0.17], viscous: 0.01,
             limits: {position: [-3 deg, 60 deg]}}
        rods:
          forearm: {joins: [right-arm, tip], from: [0.23, 0, 0.17], to: [0, 0, 0.35], mass: 0.2}
        coordinates: [rail, left, right]
        """),
}
# Half the way that each goes from home and back, in every coordinate.
AMPLITUDES = {
    "coulomb-only": [0.4, 0.3],
    "one-joint": [0.5],
    "with-tool": [0.4, 0.3],
    "envelope": [0.3, 0.5],
    "passive-limits": [0.03, 0.02],
    "redundant-motors": [0.03, 0.02],
    "coulomb-legs": [0.02, 0.01, 0.04, 0.05, 0.1, 0.02],
    "moving-base": [0.05, 0.2, 0.15],
}
