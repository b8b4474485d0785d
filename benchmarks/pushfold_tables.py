"""Time push/fold charts of whole tables and the prize model, and compare the charts with deals.

    uv run python benchmarks/pushfold_tables.py            # three and six seats
    uv run python benchmarks/pushfold_tables.py --nine     # nine seats, too

For each table it prints the iterations, CPU seconds of one thread, what best responses gain
together in the model, the largest difference of a frequency from random full deals with half of its
95 % interval, and what best responses gain that are chosen by such deals.
"""

import sys
import time
from collections.abc import Callable

import untilt
from untilt.games.pushfold.tables.audit import audit_chart

STACKS = (10.0, 6.0, 4.0, 8.0, 12.0, 3.0, 7.0, 9.0, 11.0)
PRIZES = (30.0, 20.0, 15.0, 10.0, 8.0, 7.0, 5.0, 3.0, 2.0)
REPEATS = 300
NUM_DEALS = 10_000_000


def main() -> None:
    values = _microseconds(lambda: untilt.pushfold.icm(STACKS, PRIZES))
    both = _microseconds(lambda: untilt.pushfold.icm(STACKS, PRIZES).jacobian)
    print(f"prizes of nine stacks {values:.0f} µs, with the Jacobian {both:.0f} µs")
    untilt.pushfold.chart(seats=3, stack=2, iterations=1)  # compiles, and loads the table
    header = f"{'table':<12}{'iterations':>11}{'CPU s':>8}{'gains':>10}"
    print(f"{header}{'frequency off by':>22}{'deals':>22}")
    tables = [(3, 5.0), (3, 10.0), (3, 15.0), (6, 10.0)]
    for seats, stack in [*tables, *([(9, 10.0)] if "--nine" in sys.argv else [])]:
        begin = time.process_time()
        chart = untilt.pushfold.chart(seats=seats, stack=stack)
        seconds = time.process_time() - begin
        audit = audit_chart(chart, NUM_DEALS)
        worst = max(audit.frequencies, key=lambda each: abs(each.dealt - each.model))
        off = f"{100 * abs(worst.dealt - worst.model):.2f} ± {100 * worst.margin:.2f} %"
        margin = float((audit.gain_margins**2).sum()) ** 0.5
        print(
            f"{seats} × {stack:<8g}{chart.iterations:>11}{seconds:>8.1f}{chart.nash_conv:>10.1e}"
            f"{off:>22}{f'{audit.gains.sum():.5f} ± {margin:.5f}':>22}",
            flush=True,
        )


def _microseconds(work: Callable[[], object]) -> float:
    work()
    begin = time.process_time()
    for _ in range(REPEATS):
        work()
    return 1e6 * (time.process_time() - begin) / REPEATS


if __name__ == "__main__":
    main()
