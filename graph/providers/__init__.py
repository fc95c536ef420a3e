"""OpenAI-compatible providers: which model a component gets, what its requests ask for, and the
client that speaks to it."""
