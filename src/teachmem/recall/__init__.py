"""Floor 3, recall: from words to a ranked answer whose every number can be explained."""
