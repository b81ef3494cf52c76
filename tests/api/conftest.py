"""The scene that the tests of the API play in."""

from api_scene import scene as scene
