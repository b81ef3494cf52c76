"""What the tests of webhooks happen to: an organization's side of the gateway."""

from webhook_scene import scene as scene
