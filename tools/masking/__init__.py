"""Secrets and personal data, masked before anything leaves the tool boundary.

    masker          what a source answered and what a scope holds, through every rule
    marks           the mark: its kind and a hash with the run's own key
    private_keys    PEM blocks, also cut ones and those spread over several events
    shapes          keys of clouds and vendors, JSON web tokens, webhooks: by their form
    headers         authorization, bearer and basic tokens, cookies
    addresses       passwords in addresses and connection strings; e-mail
    labels, values  what `password=`, `"token":`, `--api-key` and their like give away
    numbers         payment cards, Chinese identity and mobile numbers

Model, record store, trace and answer see marks only: what `search` answers is masked before it is
cut, projected and stored, and so is every scope that is stored or shown; the query itself runs with
the values that were asked for, and equal scopes are found by these. The user's question goes to
the model in the user's own words, and the calls that the model makes of it stay in the checkpoint,
for a resumed run to execute: they hold no secret that the user did not type. Released text is
masked.

Libraries, as measured in November 2026. The check digits of cards and identity numbers are
`python-stdnum`'s; its `cn.ric` is not used, since it refuses those born in counties that are gone.
Not good enough, so that finding is our own:

- detect-secrets (last release 2024) and its fork bc-detect-secrets: 12 ms a KiB of log, 0.3 ms with
  its vendor patterns alone, quadratic on hostile text; words like `INFO` and `Bearer` are entropy
  findings; nothing for cookies, `sk-` keys, Aliyun, Go DSNs, and nothing personal;
- presidio-analyzer: 45 packages with spaCy, a language model to download;
- scrubadub (last release 2023): scikit-learn, SciPy and NLTK;
- phonenumbers: 0.4 ms a line and 23 MB, for a form that is eleven digits.

What has neither label nor form, such as a bare password in a sentence, cannot be told from an id
and stays, and so does what stands in a tool's description.
"""

from tools.masking.masker import Masker

__all__ = ["Masker"]
