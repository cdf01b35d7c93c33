"""Makes an event of the corpus of an event as a client of Sentry sent it."""
from corpus import event, cause

MOST = 7  # frames that are kept of a backtrace, see trimmed


def trimmed(frames):
    """The newest frames, the newest of the application, and the oldest. A backtrace without marks keeps twice as many."""
    if not any(f.get("app") for f in frames):
        return frames[:2 * MOST]
    if len(frames) <= MOST:
        return frames
    ours = [i for i, f in enumerate(frames) if f.get("app")][:3]
    keep = sorted({*range(MOST - 4), *ours, len(frames) - 1})
    return [frames[i] for i in keep]


def frames_of(exception):
    frames = list(reversed((exception.get("stacktrace") or {}).get("frames") or []))
    out = []
    for f in frames:
        path = f.get("abs_path") or ""
        file = f.get("filename") or path
        func = f.get("function") or ""
        out.append({k: v for k, v in {
            "file": file, "path": path if path != file else "", "func": "" if func == "?" else func, "module": f.get("module") or "",
            "line": f.get("lineno"), "col": f.get("colno"), "app": f.get("in_app")}.items() if v not in ("", None)})
    return trimmed(out)


def from_sentry(e, trace="", **more):
    values = [v for v in e["exception"]["values"]]
    name = lambda v: (v["module"] + "." if e.get("platform") == "java" and v.get("module") else "") + v["type"]
    last = values[-1]
    causes = [cause(name(v), v.get("value") or "", *frames_of(v)) for v in reversed(values[:-1])]
    if e.get("transaction") and (e.get("transaction_info") or {}).get("source") != "url" and e.get("platform") != "javascript":
        more.setdefault("route", e["transaction"])
    return event(name(last), last.get("value") or "", *frames_of(last), causes=causes, platform=e.get("platform", ""),
                 sdk=(e.get("sdk") or {}).get("name", ""), release=e.get("release", ""), trace=trace, **more)
