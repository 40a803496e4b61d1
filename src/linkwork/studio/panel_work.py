"""Long work, above the tabs: how far it has come, and a button to cancel it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.studio.host import Host
from linkwork.studio.jobs import Job


class WorkPanel:
    """At most one job; a new one takes the place of the one before."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.job: Job | None = None
        self._keep: Callable[[Any], None] = lambda result: None
        self.bar = host.gui.add_progress_bar(0.0, visible=False)
        self.cancel = host.gui.add_button("Cancel", icon="x", color="red", visible=False)
        host.on_click(self.cancel, self.stop)

    def start(
        self,
        title: str,
        work: Callable[[Callable[[float], None]], Any],
        keep: Callable[[Any], None],
    ) -> None:
        """Do `work` beside the page; `keep` gets its result on the page's thread."""
        self.stop()
        self._keep = keep
        self.job = Job(title, work, lambda job: self.host.post(lambda: self._ended(job)))
        self.show()

    def stop(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _ended(self, job: Job) -> None:
        if job is self.job:
            self.job = None
            if job.message is not None:
                self.host.tell(job.title, job.message)
            else:
                self._keep(job.result)
        self.show()

    def show(self) -> None:
        self.bar.visible = self.cancel.visible = self.job is not None
        if self.job is not None:
            self.bar.value = 100 * self.job.progress
            self.cancel.label = f"Cancel: {self.job.title.lower()}"
