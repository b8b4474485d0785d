"""JSON responses, never cached; an error is one line."""

from typing import Any

from starlette.responses import Response

from untilt.formats.base.files import json_bytes


def answer(content: Any, status: int = 200) -> Response:
    """Return plain data as a JSON response; it must not contain nan or infinities."""
    return Response(
        json_bytes(content),
        status,
        {"Cache-Control": "no-store"},
        media_type="application/json",
    )


def problem(status: int, line: str) -> Response:
    """Return an error response with one line of explanation."""
    return answer({"error": " ".join(line.split())}, status)
