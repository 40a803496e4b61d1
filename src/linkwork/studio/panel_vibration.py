"""Natural frequencies in a list; the chosen mode moves the robot slowly until it is stopped."""

from __future__ import annotations

import numpy as np

from linkwork.studio import readouts
from linkwork.studio.host import Host
from linkwork.studio.session import Session

STILL = "none"
UNITS = {"N": "N/m", "N m": "N m/rad"}  # of stiffness, by those of efforts
USUAL = {"N/m": 1e7, "N m/rad": 1e4}  # to begin with, where the robot file gives no stiffness


class VibrationPanel:
    """A stiffness if the file gives none, the list, and the mode that moves."""

    def __init__(self, host: Host, session: Session) -> None:
        self.host, self.session = host, session
        gui = host.gui
        units = [UNITS[unit] for unit in session.probe.efforts.units]
        with gui.add_folder("Vibration"):
            self.stiffness = gui.add_number(
                f"stiffness of a {session.probe.carrier.lower()} [{', '.join(dict.fromkeys(units))}]",
                USUAL[units[0]],
                min=1e-3,
                visible=not session.has_stiffness,
            )
            find = gui.add_button("Natural frequencies", icon="wave-sine")
            self.list = gui.add_html("", visible=False)
            options = (STILL, *(f"mode {k + 1}" for k in range(session.probe.freedom)))
            self.mode = gui.add_dropdown("in motion", options, visible=False)
            self.stop = gui.add_button("Stop vibration", icon="player-stop", visible=False)
        host.on_click(find, self.find)
        host.on_update(self.stiffness, self._stiffened)
        host.on_update(self.mode, self._chosen)
        host.on_click(self.stop, self._stopped)

    def find(self) -> None:
        given = None if self.session.has_stiffness else float(self.stiffness.value)
        self.session.find_vibration(given)
        self.host.show_again()

    def _stiffened(self) -> None:
        if self.session.vibration is not None:
            self.find()

    def _chosen(self) -> None:
        vibration = self.session.vibration
        if vibration is not None:
            options = self.mode.options
            vibration.mode = None if self.mode.value == STILL else options.index(self.mode.value) - 1
            self.session.playback.playing = False
            self.host.show_again()

    def _stopped(self) -> None:
        self.mode.value = STILL
        self._chosen()

    def show(self) -> None:
        """Frequencies of where the robot stands now."""
        session, vibration = self.session, self.session.vibration
        self.stiffness.visible = not session.has_stiffness
        self.list.visible = self.mode.visible = vibration is not None
        self.stop.visible = vibration is not None and vibration.mode is not None
        if vibration is None:
            return
        self.mode.value = STILL if vibration.mode is None else f"mode {vibration.mode + 1}"
        found = vibration.modes(session.state.position, session.load).frequencies
        self.list.content = readouts.frequencies(np.asarray(found))
