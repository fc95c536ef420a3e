"""The audit of a run: closed trace events and the reconciliation of their tokens (C7)."""
