"""The clock of a motion: play, pause, step, scrub, speed."""

from __future__ import annotations

from dataclasses import dataclass

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
STEPS = 100  # presses of an arrow key from start to end


@dataclass
class Playback:
    """Time along a motion of `duration` seconds."""

    duration: float
    time: float = 0.0
    speed: float = 1.0
    repeat: bool = True
    playing: bool = False

    def toggle(self) -> None:
        """Play or pause; at the end, play from the start."""
        if not self.playing and self.time >= self.duration:
            self.time = 0.0
        self.playing = not self.playing

    def seek(self, time: float) -> None:
        self.time = min(max(float(time), 0.0), self.duration)

    def step(self, count: int) -> None:
        """Pause, and move by hundredths of the motion."""
        self.playing = False
        self.seek(self.time + count * self.duration / STEPS)

    def advance(self, seconds: float) -> bool:
        """Let real time pass; tells whether anything moved."""
        if not self.playing:
            return False
        time = self.time + seconds * self.speed
        if time >= self.duration:
            if self.repeat:
                time %= self.duration
            else:
                time, self.playing = self.duration, False
        self.time = time
        return True
