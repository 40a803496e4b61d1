"""The shape of a robot, which every picture draws; figures that simulation, reports and papers share."""
