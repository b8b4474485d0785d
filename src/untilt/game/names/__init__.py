"""The names of infosets: listed, or made on demand."""
