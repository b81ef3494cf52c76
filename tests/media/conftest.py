"""What the tests of this folder are given."""

from api_scene import scene as scene
