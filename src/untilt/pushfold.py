"""Push/fold charts of heads-up hold'em.

    untilt.pushfold.chart(10).push.percent
    untilt.pushfold.chart_sweep([5, 10, 15]).call["22"]

Stacks are in big blinds. `untilt.games.pushfold` is the game itself.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.games.pushfold.chart import PushFoldChart as PushFoldChart
    from untilt.games.pushfold.chart import PushFoldSweep as PushFoldSweep
    from untilt.runs.pushfold.charts import chart as chart
    from untilt.runs.pushfold.charts import chart_sweep as chart_sweep

_HOME = {
    "PushFoldChart": "untilt.games.pushfold.chart",
    "PushFoldSweep": "untilt.games.pushfold.chart",
    "chart": "untilt.runs.pushfold.charts",
    "chart_sweep": "untilt.runs.pushfold.charts",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
