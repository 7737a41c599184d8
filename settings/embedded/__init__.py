"""The embedded set-up: PostgreSQL and Valkey from wheels, in a folder of the project, and the supervisor that keeps everything running."""
