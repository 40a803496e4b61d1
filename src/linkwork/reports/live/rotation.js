// Orientations: R = Rz(yaw) Ry(pitch) Rx(roll), quaternions w x y z.

function quaternionOf([roll, pitch, yaw]) {
  const [cr, cp, cy] = [roll, pitch, yaw].map((angle) => Math.cos(angle / 2));
  const [sr, sp, sy] = [roll, pitch, yaw].map((angle) => Math.sin(angle / 2));
  return [
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  ];
}

function anglesOf([w, x, y, z]) {
  const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    pitch,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}
