"""The health of an installation and of its nodes: what is checked, and what to do about a fault.

`heliograph doctor` prints all checks that apply to its settings (`examine`). `/readyz` answers with
those that a running node can make: of its database (`ReadinessService`) and of itself
(`NodeState`). A check has the same name in both.
"""
