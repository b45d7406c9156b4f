"""The nouns of the house: frozen dataclasses, one noun a module, units under each field.

This package imports nothing but the standard library's typing, dataclasses and enum.
"""
