"""What a run needs of an OpenAI-compatible client, whoever made it: usage in streams, and no
retries of its own, which no budget would bound and no trace show (C7, C8)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def accountable(model: "BaseChatModel") -> "BaseChatModel":
    """The model, or a copy of it that shares its connections. Usage in streams is asked for unless
    its maker said otherwise; other makes of client are left as they are."""
    fields = {name: getattr(model, name) for name in type(model).model_fields}
    changes: dict[str, Any] = {}
    if fields.get("stream_usage", False) is None:
        changes["stream_usage"] = True
    client: Any = fields.get("root_async_client")
    if getattr(client, "max_retries", None):
        once = client.with_options(max_retries=0)
        changes |= {"root_async_client": once, "async_client": once.chat.completions}
    return model.model_copy(update=changes) if changes else model
