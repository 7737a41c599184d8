"""A floor that plays itself: tables, decks and dealers, speaking to the service only through its REST API."""
