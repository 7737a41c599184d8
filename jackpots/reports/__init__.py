"""What the bank puts on paper."""
