"""All poses of a Stewart platform with given leg lengths."""
