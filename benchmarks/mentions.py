"""Reading mentions: the bare grammar against the peer's, and chat against the bare."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import ModuleType

from benchmarks.paired import Row, compare
from rooms import extract_mentions, find_mentions

SENTENCE = (
    "I would leave the connector alone for an hour and look at the queue again after "
    "lunch, when the nightly import has been through there."
)
TWO_NAMES = (
    "@coder could you leave the connector alone for an hour, and @reviewer look at the "
    "queue again after lunch, when the import is through"
)
MAILS = (
    "Please write to ana.lind@example.org or to support@example.com when the nightly "
    "import has not gone through, with billing@example.org in copy"
)
TEXTS = {  # must, stretch: peer / ours
    "134 characters, no name": (SENTENCE, 10, 30),
    "two names": (TWO_NAMES, 2, 3.5),
    "10,000 characters, no name": ((SENTENCE + ". ") * 74, 500, 800),
    "mail addresses": (MAILS, 10, 20),
}
NEVER_SLOWER = {
    "empty": "",
    "one name": "@b",
    "only names": "@a @b @c @d " * 100,
    "the same name": "@coder " * 200,
    "only signs": "@" * 2_000,
    "a long name": "@" + "a" * 5_000,
    "an unspaced script": "你好@coder请看一下" * 50,
    "dots and dashes": "@a.-_.b " * 200,
}

ROSTER = [
    *("ana", "ben", "ben-web", "coder", "reviewer", "planner", "tester", "ops"),
    *("docs", "release", "security", "data", "Eve", "Gennie", "max", "nia", "omar"),
    *("pia", "quinn", "rui"),
]
CHAT = (
    "Morning all. The import ran twice last night, once at 02:00 and once at 02:40, "
    "and the second one wrote over the corrected rows. @ben-web, could you check "
    "whether the lock was held? I looked at the log (the one from the worker, not "
    "the scheduler) and it says the lease had expired, which should not happen with "
    "a renewal every minute. If it is the clock again then we need somebody from "
    "the platform side in here too. In the meantime I have paused the job and told "
    "support that the figures of today are not final; they will not send the report "
    "before we say so. @reviewer the fix from Tuesday is in the branch but not "
    "merged, please have a second look at the part that compares the versions, "
    "since the test for it passes with the old code as well. I can pair on that "
    "after eleven. One more thing: the dashboard shows the number of rows before "
    "the correction, so do not trust it until the cache is gone, which takes about "
    "an hour. Thanks! And @Eve, when all of this is through and merged, write down "
    "what we did."
)


def rows(peer: ModuleType | None) -> Iterator[Row]:
    assert len(SENTENCE) == 134
    assert len(CHAT) in range(1_000, 1_050)
    assert find_mentions(CHAT, ROSTER).names == ("ben-web", "reviewer", "Eve")
    if peer is not None:
        yield from _against_the_peer(peer)
    yield Row(
        "find_mentions, 1 KiB of chat",
        "extract_mentions",
        compare(partial(find_mentions, CHAT, ROSTER), partial(extract_mentions, CHAT)),
        must=12,
        stretch=6,
    )


def _against_the_peer(peer: ModuleType) -> Iterator[Row]:
    theirs = peer.extract_mentions
    for name, (text, must, stretch) in TEXTS.items():
        assert extract_mentions(text) == theirs(text)
        yield Row(
            f"extract_mentions, {name}",
            "the peer's, peer / ours",
            compare(partial(theirs, text), partial(extract_mentions, text)),
            must=must,
            stretch=stretch,
            more_is_better=True,
        )
    pairs = {
        name: compare(partial(theirs, text), partial(extract_mentions, text))
        for name, text in NEVER_SLOWER.items()
    }
    worst = min(pairs, key=lambda name: pairs[name].ratio)
    yield Row(
        f"extract_mentions, worst of {len(pairs)} ({worst})",
        "the peer's, peer / ours",
        pairs[worst],
        must=0.95,
        more_is_better=True,
    )
