"""figaroh on logs that `benchmarks.identification` or `benchmarks.real_logs` wrote; run by a Python that
has figaroh.

    python benchmarks/figaroh_run.py FOLDER

Its own functions in the order of its guide: filter, differences, regressor, base parameters by two QR
decompositions, least squares, standard deviations. Prints a JSON object for every log.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from figaroh.identification.identification_tools import (
    calculate_first_second_order_differentiation,
    low_pass_filter_data,
    relative_stdev,
)
from figaroh.identification.parameter import add_standard_additional_parameters, get_standard_parameters
from figaroh.tools.qrdecomposition import QRDecomposer
from figaroh.tools.regressor import build_regressor_basic, get_index_eliminate


def settings(period: float, cutoff: float, extras: dict[str, list[float]]) -> dict[str, Any]:
    return {
        "has_friction": True,
        "has_actuator_inertia": True,
        "has_joint_offset": True,
        "is_joint_torques": True,
        "is_external_wrench": False,
        "force_torque": None,
        "act_idxv": list(range(6)),
        "ts": period,
        # Its filter takes half of ts times this number as a share of the Nyquist frequency.
        "cut_off_frequency_butterworth": 4 * cutoff,
        **extras,
    }


def regressor(robot: Any, q: Any, tau: Any, config: dict[str, Any]) -> tuple[Any, Any, Any]:
    """A log as figaroh prepares it, rows by joints: regressor, torques filtered alike, velocities."""
    q, tau = low_pass_filter_data(q, config), low_pass_filter_data(tau, config)
    q, v, a = calculate_first_second_order_differentiation(robot.model, q, config)
    return build_regressor_basic(robot, q, v, a, config), tau[:-2].T.reshape(-1), v


def identified(folder: Path, data: Any) -> dict[str, Any]:
    model = pin.buildModelFromUrdf(str(folder / "arm.urdf"))
    robot = pin.RobotWrapper(model)
    truth = pin.buildModelFromUrdf(str(folder / str(data["true_arm"])))
    extras = {name: data[f"true_{name}"].tolist() for name in ("fv", "fs", "Ia", "off")}
    config = settings(float(data["period"]), float(data["bandwidth"]), extras)
    standard = get_standard_parameters(truth, config)
    standard |= add_standard_additional_parameters(truth, config)
    W, tau, _ = regressor(robot, data["q"], data["tau"], config)
    dropped, kept = get_index_eliminate(W, standard, 1e-6)
    W = np.delete(W, dropped, axis=1)
    W_b, _, expressions, phi = QRDecomposer().double_decomposition(tau, W, kept)[:4]
    deviation = np.abs(phi) * relative_stdev(W_b, phi, tau) / 100
    # Its expressions are rounded to a few digits; the truth in the same base keeps all of them.
    right = np.delete(np.array(list(standard.values())), dropped)
    exact = np.linalg.lstsq(W_b, W @ right, rcond=None)[0]
    other, _, velocity = regressor(robot, data["new_q"], data["new_tau"], config)
    mixture = np.linalg.lstsq(W_b, W, rcond=None)[0]
    predicted = np.delete(other, dropped, axis=1) @ np.linalg.pinv(mixture) @ phi
    border = (len(data["new_tau"]) - 2 - len(velocity)) // 2
    left = data["new_tau"][border : border + len(velocity)] - predicted.reshape(6, -1).T
    moving = np.abs(velocity) >= 0.02 * np.abs(velocity).max(axis=0)
    return {
        "parameters": len(phi),
        "cover": float((np.abs(phi - exact) <= 1.96 * deviation).mean()),
        "left": np.sqrt((moving * left**2).sum(axis=0) / moving.sum(axis=0)).tolist(),
        "expressions": expressions[:3],
    }


def predicted_of_real(folder: Path, data: Any) -> list[float]:
    """What predictions leave of the efforts of each log [%], trained on the first."""
    model = pin.buildModelFromUrdf(str(folder / "arm.urdf"))
    robot = pin.RobotWrapper(model)
    extras = {name: [0.0] * model.nv for name in ("fv", "fs", "Ia", "off")}

    def rows(k: int) -> tuple[Any, Any, Any, Any]:
        config = settings(float(data[f"period_{k}"]), float(data["bandwidth"]), extras)
        return config, *regressor(robot, data[f"q_{k}"], data[f"tau_{k}"], config)

    config, W, tau, _ = rows(0)
    standard = get_standard_parameters(model, config)
    standard |= add_standard_additional_parameters(model, config)
    dropped, kept = get_index_eliminate(W, standard, 1e-6)
    W = np.delete(W, dropped, axis=1)
    W_b, _, _, phi = QRDecomposer().double_decomposition(tau, W, kept)[:4]
    mixture = np.linalg.pinv(np.linalg.lstsq(W_b, W, rcond=None)[0])
    found = []
    for k in range(int(data["count"])):
        _, other, _, velocity = rows(k)
        measured = data[f"tau_{k}"]
        predicted = np.delete(other, dropped, axis=1) @ mixture @ phi
        border = (len(measured) - 2 - len(velocity)) // 2
        measured = measured[border : border + len(velocity)]
        moving = np.abs(velocity) >= 0.02 * np.abs(velocity).max(axis=0)
        left = (measured - predicted.reshape(6, -1).T) * moving
        found.append(100 * float(np.linalg.norm(left) / np.linalg.norm(measured * moving)))
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for file in sorted(place.glob("real-*.npz")):
        print(json.dumps(predicted_of_real(place, np.load(file))), flush=True)
    for file in sorted(place.glob("log-*.npz")):
        print(json.dumps(identified(place, np.load(file))), flush=True)
