"""Angeles, Fundamentals of Robotic Mechanical Systems, sections 7.4 and 7.5: recursions and "
"complement."""
