"""A client of toolcall for Python 3.9 and later. Copy this file into your project.

    result = call("fs.read", {"path": "README.md"}, flags=["--allow-read=."])
    print(result.text)
"""

import json
import subprocess
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence


@dataclass
class Result:
    """The result of a call, in the form of MCP's CallToolResult."""

    content: list
    is_error: bool
    structured_content: Optional[dict] = None
    meta: dict = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of all text blocks, joined by line ends."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def error_code(self) -> Optional[str]:
        """The code of the error, such as "permission_denied"."""
        return self.meta.get("toolcall/error", {}).get("code")


def _result(line: str) -> Result:
    data = json.loads(line)
    meta = data.get("_meta", {})
    return Result(data["content"], data["isError"], data.get("structuredContent"), meta)


def call(
    name: str,
    arguments: Mapping[str, Any],
    *,
    flags: Sequence[str] = (),
    executable: str = "toolcall",
    cwd: Optional[str] = None,
) -> Result:
    """Runs one call in a new process. Raises RuntimeError if toolcall prints no result."""
    run = subprocess.run(
        [executable, "call", *flags, "--format=mcp"],
        input=json.dumps({"name": name, "arguments": arguments}).encode(),
        capture_output=True,
        cwd=cwd,
        check=False,
    )
    try:
        return _result(run.stdout.decode())
    except ValueError:
        raise RuntimeError(f"toolcall printed no result: {run.stderr.decode()}") from None


class Session:
    """A process that runs many calls, one after the other. Use it with "with"."""

    def __init__(
        self,
        *,
        flags: Sequence[str] = (),
        executable: str = "toolcall",
        cwd: Optional[str] = None,
    ) -> None:
        self._process = subprocess.Popen(
            [executable, "submit", *flags, "--quiet"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=cwd,
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> Result:
        """Runs one call. Raises RuntimeError if the process has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"name": name, "arguments": arguments}).encode() + b"\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError("toolcall has ended; see its stderr")
        return _result(line.decode())

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
