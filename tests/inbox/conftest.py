"""What the tests of this folder are given."""

from inbox_scene import desk as desk
