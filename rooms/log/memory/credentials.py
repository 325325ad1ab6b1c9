"""
Credentials: what looks like one is never remembered (L-MEM-03, L-MEM-11).

Law: known forms alone are refused, so that words about tokens pass. No list is
complete: it keeps accidents out, and is no filter against somebody who wants it in.
"""

from __future__ import annotations

import re

from rooms.errors import InvalidInput

__all__ = ["check_no_credential"]

# Each form as its issuer documents it; lengths are the shortest that are issued.
_FORMS = re.compile(
    r"""
      -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b                      # AWS access key ids
    | \bgh[pousr]_[A-Za-z0-9]{36,}                       # GitHub
    | \bgithub_pat_[A-Za-z0-9_]{22,}
    | \bglpat-[A-Za-z0-9_-]{20,}                         # GitLab
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,}                   # Slack
    | \bsk-[A-Za-z0-9_-]{20,}                            # OpenAI, Anthropic
    | \b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}             # Stripe
    | \bAIza[0-9A-Za-z_-]{35}                            # Google
    | \bya29\.[0-9A-Za-z_-]{20,}
    | \bnpm_[A-Za-z0-9]{36}
    | \bpypi-[A-Za-z0-9_-]{50,}
    | \bhf_[A-Za-z0-9]{30,}
    | \beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}   # JSON Web Token
    | \b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,64}:[^\s/:@]{3,128}@        # in an address
    | \b(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)
      ["']?[ ]{0,3}[:=][ ]{0,3}["']?[^\s"'<>{}$]{8,}     # password = hunter2hunter2
    | \bbearer[ ]+[A-Za-z0-9._~+/-]{20,}
    """,
    re.VERBOSE | re.IGNORECASE,
)


def check_no_credential(field: str, words: str) -> str:
    """
    The words, if none of them looks like a credential.

    Raises:
        InvalidInput: `secret_refused`; the error does not repeat it.

    >>> check_no_credential("text", "Tokens begin with ghp_, keep them out.")
    'Tokens begin with ghp_, keep them out.'
    """
    found = _FORMS.search(words)
    if found is None:
        return words
    raise InvalidInput(
        field,
        f"holds what looks like a credential, at {found.start()}",
        allowed="words without one",
        code="secret_refused",
    )
