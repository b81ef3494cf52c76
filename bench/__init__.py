"""The benchmark: a gateway and a webhook receiver of its own, and what they reach.

`python -m bench --help` says what can be measured. Every run is bounded by counts and stops by
itself. Results go to `bench/latest.json`.
"""
