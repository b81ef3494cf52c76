"""The benchmark: a gateway of its own, a webhook receiver of its own, and what they reach.

`python -m bench --help` says what can be measured. Every run is bounded by counts and stops by
itself; results go to `bench/latest.json`.
"""
