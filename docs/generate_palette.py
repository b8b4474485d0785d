"""Writes the colours of actions and runs to the page's style sheet, web/src/palette.css."""

from pathlib import Path

from untilt.charts.palette import style_sheet

SHEET = Path(__file__).parents[1] / "web" / "src" / "palette.css"

if __name__ == "__main__":
    SHEET.write_text(style_sheet(), encoding="utf-8")
