/* The entry has nothing to include: a host finds it by its note. */
