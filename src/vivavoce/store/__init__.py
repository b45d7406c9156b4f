"""The person's own stores, mode 0600: SQLite through SQLAlchemy."""
