"""What a team may configure, read once and checked before anything starts.

Explicit values beat the environment, which beats `diagnosis.toml`, which beats the defaults.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import (
    SettingsError as UnreadableSourceError,
)

from graph.contract.limits import Limits
from graph.model_settings import ModelSettings
from graph.source_settings import SourceSettings
from graph.time_zones import ZoneName

Count = Annotated[int, Field(ge=1)]
Bytes = Annotated[int, Field(ge=256)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class SettingsError(ValueError):
    """A setting is wrong. The message is one line that names the key and what to do."""


def _of_scheme(*schemes: str) -> AfterValidator:
    """A URL of one of these schemes. It may hold a password, so nobody repeats it."""

    beginnings = " or ".join(f"{scheme}://" for scheme in schemes)

    def checked(url: SecretStr) -> SecretStr:
        scheme, separator, _ = url.get_secret_value().partition("://")
        if not separator or scheme not in schemes:
            raise ValueError(f"not a URL that begins with {beginnings}")
        return url

    return AfterValidator(checked)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatSettings(_Section):
    """When a run stops learning (C3.7)."""

    stop_after_consecutive_no_gain: Count = 2
    stop_after_consecutive_protocol_violations: Count = 2


class BudgetSettings(_Section):
    """Hard limits of one run (C8): calls, provider-reported tokens, UTF-8 bytes, seconds."""

    max_model_calls: Count = 14
    release_reserve_calls: Annotated[int, Field(ge=0)] = 2
    max_tool_calls: Annotated[int, Field(ge=0)] = 8
    max_tokens: Count = 60_000
    max_observation_bytes: Bytes = 8_192
    max_run_observation_bytes: Bytes = 131_072
    max_seconds: Seconds = 180
    tool_timeout_seconds: Seconds = 20

    @model_validator(mode="after")
    def _leaves_calls_for_collection(self) -> "BudgetSettings":
        if self.release_reserve_calls >= self.max_model_calls:
            raise ValueError("release_reserve_calls must be smaller than max_model_calls")
        return self


class HarnessSettings(_Section):
    """The stop contract's own settings."""

    chat: ChatSettings = ChatSettings()
    budget: BudgetSettings = BudgetSettings()


class PromptSettings(_Section):
    """Language of the prompts (`auto` follows the question) and a team's own prompt folder (C9)."""

    language: Literal["auto", "zh", "en"] = "auto"
    dir: Path | None = None


class SessionStoreSettings(_Section):
    """Where sessions lie: PostgreSQL, or left out a SQLite file in the data folder. In both a
    session is kept until it is pruned."""

    url: Annotated[SecretStr, _of_scheme("postgresql", "postgres")] | None = None


class RecordStoreSettings(_Section):
    """Where canonical records lie: Redis, or left out a SQLite file in the data folder (C5.2).

    `ttl_seconds`: how long Redis keeps a record after its last change (7 days); the file keeps it
    until it is pruned. `cluster`: the URL names one node of a Redis Cluster.
    """

    url: Annotated[SecretStr, _of_scheme("redis", "rediss", "unix")] | None = None
    ttl_seconds: Seconds = 7 * 24 * 3600
    cluster: bool = False


class StoreSettings(_Section):
    """The stores, by URL. Credentials in a URL are never shown."""

    sessions: SessionStoreSettings = SessionStoreSettings()
    records: RecordStoreSettings = RecordStoreSettings()


class Settings(BaseSettings):
    """Everything configurable. A wrong value raises `SettingsError` with one line."""

    model_config = SettingsConfigDict(
        env_nested_delimiter="__",
        toml_file="diagnosis.toml",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    harness: HarnessSettings = HarnessSettings()
    prompts: PromptSettings = PromptSettings()
    models: ModelSettings = ModelSettings()
    sources: SourceSettings = SourceSettings()
    stores: StoreSettings = StoreSettings()
    time_zone: ZoneName = "UTC"
    data_dir: Path | None = None

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_one_line(error)) from None
        except UnreadableSourceError as error:
            raise SettingsError(f"environment: {error}") from None
        except ValueError:
            raise SettingsError("diagnosis.toml: not readable as TOML; mend the file") from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Code, then environment, then file. Of the environment only nested names count: a bare
        MODELS or TIME_ZONE may be anybody's."""
        assert isinstance(env_settings, EnvSettingsSource)
        named = env_settings.env_vars.items()
        env_settings.env_vars = {name: value for name, value in named if "__" in name}
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    def limits(self) -> Limits:
        """The limits that a run copies at its begin (C1.5, C3.7)."""
        chat, budget = self.harness.chat.model_dump(), self.harness.budget.model_dump()
        return cast(Limits, {**chat, **budget})


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"]) or "settings"
    if first["type"] == "extra_forbidden":
        return f"{key}: no such setting{_hint(first['loc'])}"
    return f"{key}: {first['msg'].removeprefix('Value error, ')}"


def _hint(place: tuple[int | str, ...]) -> str:
    """What else a misspelt key may have meant; nothing where its section has no keys of ours."""
    section: Any = Settings
    for part in place[:-1]:
        field = getattr(section, "model_fields", {}).get(part)
        section = field.annotation if field else None
    known = sorted(getattr(section, "model_fields", {}))
    meant = get_close_matches(str(place[-1]), known, n=1)
    if meant:
        return f"; did you mean {meant[0]}?"
    return f"; there are {', '.join(known)}" if known else ""
