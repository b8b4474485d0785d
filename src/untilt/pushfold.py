"""Push/fold charts of two to nine players, for chips or prizes.

    untilt.pushfold.chart(10).push.percent
    untilt.pushfold.chart_sweep([5, 10, 15]).call["22"]
    untilt.pushfold.chart(seats=3, stack=10).decision("button").percent
    untilt.pushfold.icm([5000, 3000, 2000], [50, 30, 20]).values

Stacks are in big blinds. `untilt.games.pushfold` is the game itself.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.games.pushfold.chart import PushFoldChart as PushFoldChart
    from untilt.games.pushfold.chart import PushFoldSweep as PushFoldSweep
    from untilt.games.pushfold.tables.icm import PrizeValues as PrizeValues
    from untilt.games.pushfold.tables.icm import icm as icm
    from untilt.games.pushfold.tables.table_chart import TableChart as TableChart
    from untilt.runs.pushfold.charts import chart as chart
    from untilt.runs.pushfold.charts import chart_sweep as chart_sweep
    from untilt.runs.pushfold.table_file import load_chart as load_chart

_HOME = {
    "PrizeValues": "untilt.games.pushfold.tables.icm",
    "PushFoldChart": "untilt.games.pushfold.chart",
    "PushFoldSweep": "untilt.games.pushfold.chart",
    "TableChart": "untilt.games.pushfold.tables.table_chart",
    "chart": "untilt.runs.pushfold.charts",
    "chart_sweep": "untilt.runs.pushfold.charts",
    "icm": "untilt.games.pushfold.tables.icm",
    "load_chart": "untilt.runs.pushfold.table_file",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
