"""What a client of the load test hears: of each message only what it needs is read."""

from msgspec import Struct


class Text(Struct):
    """An action, or an entry of the log."""

    text: str


class Whole(Struct):
    step: int
    waits: bool
    over: bool
    actions: list[Text]
    log: list[Text]


class Number(Struct):
    to: int


class Truth(Struct):
    to: bool


class Name(Struct):
    to: str


class OfText(Struct):
    text: Name | None = None


class Item(Struct):
    to: Text | None = None
    keys: OfText | None = None


class Texts(Struct):
    """A change of a list (kemu/web/changes.py)."""

    to: list[Text] | None = None
    items: dict[str, Item] | None = None
    cuts: list[tuple[int, int, list[Text]]] | None = None

    def changed(self, old: list[str]) -> list[str]:
        if self.to is not None:
            return [each.text for each in self.to]
        new = list(old)
        for at, item in (self.items or {}).items():
            if item.to is not None:
                new[int(at)] = item.to.text
            elif item.keys is not None and item.keys.text is not None:
                new[int(at)] = item.keys.text.to
        for at, drop, put in reversed(self.cuts or []):
            new[at : at + drop] = [each.text for each in put]
        return new


class Keys(Struct):
    step: Number | None = None
    waits: Truth | None = None
    over: Truth | None = None
    actions: Texts | None = None
    log: Texts | None = None


class Change(Struct):
    keys: Keys | None = None


class Told(Struct):
    whole: Whole | None = None
    change: Change | None = None
    error: str = ""


class Game:
    """What is known of a game."""

    def __init__(self) -> None:
        self.step = -1
        self.waits = self.over = False
        self.actions: list[str] = []
        self.log: list[str] = []

    def hears(self, told: Told) -> None:
        if told.whole is not None:
            whole = told.whole
            self.step, self.waits, self.over = whole.step, whole.waits, whole.over
            self.actions = [each.text for each in whole.actions]
            self.log = [each.text for each in whole.log]
        keys = told.change.keys if told.change is not None else None
        if keys is None:
            return
        self.step = keys.step.to if keys.step is not None else self.step
        self.waits = keys.waits.to if keys.waits is not None else self.waits
        self.over = keys.over.to if keys.over is not None else self.over
        if keys.actions is not None:
            self.actions = keys.actions.changed(self.actions)
        if keys.log is not None:
            self.log = keys.log.changed(self.log)
