"""Answers in JSON, never cached; a refusal is one line."""

from typing import Any

from starlette.responses import Response

from untilt.formats.files import json_bytes


def answer(content: Any, status: int = 200) -> Response:
    """Return plain data as an answer; it must hold neither nan nor infinities."""
    return Response(
        json_bytes(content),
        status,
        {"Cache-Control": "no-store"},
        media_type="application/json",
    )


def problem(status: int, line: str) -> Response:
    """Return the refusal that says why."""
    return answer({"error": " ".join(line.split())}, status)
