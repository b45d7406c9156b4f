"""Text to speech: one file a provider. Each imports its heavy parts when they are first needed."""
