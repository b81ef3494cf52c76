"""What the tests of this folder are given."""

from core_scene import scene as scene
